/* Nine bytes are too many. */
BEGIN { trace('abcdefghi'); }
