/*
 * Two underscores in a probe's name are a dash.
 * @quiet
 * @fire: dp:::one-two arg0=4
 * @fire: dp:::a_b-c arg0=5
 */
provider dp { probe one__two(int); probe a_b__c(char); };
dp:::one-two, dp:::a_b-c { printf("%s %d\n", probename, args[0]); }
