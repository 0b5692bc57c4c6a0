BEGIN { commit(1); stack(); }
