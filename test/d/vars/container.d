/*
 * P10: container and cgroup are strings, cgroupid is a number; in predicates and as keys.
 * @quiet
 * @kernel: no, because the control group is given
 * @fire: t:::n container=web cgroup=/system.slice/docker.scope cgroupid=77
 * @fire: t:::n container=db cgroup=/machine.slice cgroupid=78
 * @fire: t:::n
 */
t:::n
/container == "web"/
{
	printf("%s %d\n", cgroup, cgroupid);
}

t:::n
{
	@[container, strlen(cgroup)] = sum(cgroupid);
}
