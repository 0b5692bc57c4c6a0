/* A character constant needs a character. */
BEGIN { trace(''); }
