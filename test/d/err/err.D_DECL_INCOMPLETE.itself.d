struct list_head { struct list_head m; };
