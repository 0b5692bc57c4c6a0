/* A # with a blank and a word that is no directive is a remark, as provider files of Linux builds have them. */
provider remarks {
	# file: src/it's.c
	# prefix: poll
	probe add(int watch, void *cb);
	# Monitoring the loop
	probe done();
};
# pragma D option quiet
BEGIN { printf("read\n"); exit(0); }
