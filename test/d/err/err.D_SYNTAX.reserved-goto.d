BEGIN { goto out; }
