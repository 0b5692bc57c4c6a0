#pragma D option
