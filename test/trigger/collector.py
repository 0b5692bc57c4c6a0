# SPDX-License-Identifier: BSD-2-Clause
# collector.py FOLDER PORT: an OTLP collector. Writes each accepted request to a file in FOLDER/got, each refused one to FOLDER/not, the
# User-Agents to FOLDER/agents, and its port to FOLDER/port. FOLDER/answer sets the response: status, seconds of Retry-After, body in
# hex; - for none.
import http.server, os, sys
top, count = sys.argv[1], [0]
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        status, after, answer = (open(top + '/answer').read() + ' - -').split()[:3]
        good = self.headers['Content-Type'] == 'application/x-protobuf' and self.path in ('/base/v1/metrics', '/base/v1/traces', '/base/v1development/profiles')
        count[0] += 1
        name = '%s/%s/%06d.%s' % (top, 'got' if good and status == '200' else 'not', count[0], self.path.rsplit('/', 1)[1])
        with open(name + '.part', 'wb') as f:
            f.write(body)
        os.rename(name + '.part', name)
        open(top + '/agents', 'a').write('%s %s\n' % (self.path, self.headers['User-Agent']))
        answer = b'' if answer == '-' else bytes.fromhex(answer)
        self.send_response(int(status))
        if after != '-':
            self.send_header('Retry-After', after)
        self.send_header('Content-Length', str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[2])), Handler)
open(top + '/port', 'w').write(str(server.server_address[1]))
server.serve_forever()
