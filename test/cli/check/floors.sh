# SPDX-License-Identifier: BSD-2-Clause
# tools/include-check in a tree of its own: who may read ELF and DWARF, and who may name files of processes.
. test/cli/helpers.inc
tree=$tmp/tree
mkdir -p "$tree/tools" "$tree/src" "$tree/cmd" "$tree/libusdt" "$tree/include"
cp tools/include-check "$tree/tools"
holds() {	# holds WHAT PATH: the line on standard input is fine there
	mkdir -p "$tree/${2%/*}"
	cat >"$tree/$2"
	"$tree/tools/include-check" >"$tmp/out" 2>"$tmp/err"
	check $? "$1"
	rm "$tree/$2"
}
broken() {	# broken WHAT PATH WHY: it is not, and the message says why
	mkdir -p "$tree/${2%/*}"
	cat >"$tree/$2"
	! "$tree/tools/include-check" >"$tmp/out" 2>"$tmp/err" && grep -q "^$2:1: .*$3" "$tmp/out"
	check $? "$1"
	rm "$tree/$2"
}
for header in elf.h libelf.h gelf.h dwarf.h elfutils/libdw.h link.h linux/elf.h; do
	echo "#include <$header>" | holds "src/file has <$header>" src/file/a.c
	echo "#include <$header>" | broken "src/provider has no <$header>" src/provider/a.c "src/file alone reads ELF and DWARF"
done
echo '#include <elf.h>' | holds "src/usdt/usdt_object.c writes ELF" src/usdt/usdt_object.c
echo '#include <elf.h>' | broken "no other of src/usdt" src/usdt/other.c "src/file alone reads"
echo '#include <elf.h>' | holds "src/machine has numbers" src/machine/a.c
echo '	Elf64_Ehdr h;' | broken "and no structs" src/machine/a.c "has a struct of an ELF or DWARF file"
echo '	Elf64_Ehdr h;' | holds "src/file has structs" src/file/a.c
echo '	Dwarf_Die d;' | broken "src/provider has none of DWARF" src/provider/a.c "has a struct of an ELF or DWARF file"
echo '#include "file/elf.h"' | holds "src/kernel has its files read by src/file" src/kernel/a.c
echo '#include "kernel/kernel.h"' | broken "which lies below" src/file/a.c "kernel lies above file"
for name in exe map_files root cwd; do
	echo "	snprintf(path, sizeof(path), \"/proc/%d/$name\", pid);" |
	    broken "/proc/PID/$name is not for everyone" src/trace/a.c "names a file of a process"
	echo "	snprintf(path, sizeof(path), \"/proc/%d/$name\", pid);" | holds "it is for those in the list" src/process/proc_stop.c
done
