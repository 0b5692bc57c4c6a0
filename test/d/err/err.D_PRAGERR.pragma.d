#pragma error stop here
