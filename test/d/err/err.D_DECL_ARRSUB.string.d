int a["x"];
