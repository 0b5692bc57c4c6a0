/*
 * Nor may it open a door (issue 13, attack 1).
 */
#pragma D option oformat=openmetrics=0.0.0.0:9464
dtrace:::BEGIN { }
