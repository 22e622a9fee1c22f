import { createServer } from 'node:http';

/** Event sources of node:http and nothing else: what all that jmapsmith adds is compared with. */
const PING = 30_000;
const streams = new Set();
let events = 0;

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    events += 1;
    const event = Buffer.from(`event: state\nid: ${events}\ndata: {"changed":{}}\n\n`);
    for (const stream of streams) stream.write(event);
    response.end('"created":{"k"');
    return;
  }
  if (request.url === '/healthz') {
    response.end('ok');
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write('retry: 1000\nid: 0\n\n');
  streams.add(response);
  setTimeout(function ping() {
    response.write('event: ping\ndata: {"interval":30}\n\n');
    setTimeout(ping, PING);
  }, PING);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
process.on('SIGTERM', () => process.exit());
