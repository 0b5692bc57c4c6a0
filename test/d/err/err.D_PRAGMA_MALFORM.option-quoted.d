#pragma D option "quiet"
