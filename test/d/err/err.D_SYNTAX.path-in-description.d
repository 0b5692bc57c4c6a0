/* N 3 */
uprobe:/bin/bash:readline { }
