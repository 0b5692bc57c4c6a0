# SPDX-License-Identifier: BSD-2-Clause
# Calls of an NFS server without a mount: nfs.py rpcbind is a port mapper that agrees to everything (the kernel's server of
# version 3 does not start without one); nfs.py calls PORT makes 3 times NULL and 2 times GETATTR of version 3, and 4
# requests of version 4 with the operation PUTFH, all with a file handle that nobody made. Prints the status of each.
import socket
import struct
import sys
import threading


def receive(s, n):
    data = b''
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def record(s):
    return receive(s, struct.unpack('>I', receive(s, 4))[0] & 0x7fffffff)


def send(s, data):
    s.sendall(struct.pack('>I', 0x80000000 | len(data)) + data)


def agree(s):
    try:
        while True:
            send(s, record(s)[:4] + struct.pack('>6I', 1, 0, 0, 0, 0, 1))
    except (EOFError, OSError):
        s.close()


def rpcbind():
    listeners = []
    for family, address in ((socket.AF_UNIX, '/run/rpcbind.sock'), (socket.AF_UNIX, '\0/run/rpcbind.sock'),
                            (socket.AF_INET, ('127.0.0.1', 111))):
        s = socket.socket(family)
        s.bind(address)
        s.listen(8)
        listeners.append(s)

    def serve(s):
        while True:
            threading.Thread(target=agree, args=(s.accept()[0],), daemon=True).start()
    for s in listeners:
        threading.Thread(target=serve, args=(s,), daemon=True).start()
    print('ready', flush=True)
    threading.Event().wait()


def call(s, xid, version, procedure, arguments=b''):
    send(s, struct.pack('>10I', xid, 0, 2, 100003, version, procedure, 0, 0, 0, 0) + arguments)
    answer = record(s)
    return struct.unpack('>I', answer[24:28])[0] if len(answer) >= 28 else 0


def calls(port):
    handle = struct.pack('>I', 8) + b'nobody\0\0'
    s = socket.create_connection(('127.0.0.1', port))
    for i in range(3):
        print('null', call(s, 1000 + i, 3, 0))
    for i in range(2):
        print('getattr', call(s, 2000 + i, 3, 1, handle))
    for i in range(4):
        print('compound', call(s, 3000 + i, 4, 1, struct.pack('>4I', 0, 0, 1, 22) + handle))


if sys.argv[1] == 'rpcbind':
    rpcbind()
else:
    calls(int(sys.argv[2]))
