/* A character constant ends on its line. */
BEGIN { trace('a
'); }
