import { createServer } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A push service; it runs in a thread, and counts what comes to its root. It takes all of it, but
 * never answers below `/hanging/`.
 */
let count = 0;
let lastAt = 0;
const server = createServer(workerData, (request, response) => {
  request.resume().on('end', () => {
    if (request.url.startsWith('/hanging/')) return;
    count += 1;
    lastAt = performance.timeOrigin + performance.now();
    response.writeHead(201).end();
  });
});
server.keepAliveTimeout = 60_000;
// Not on one address alone: each of the loopback is a host of its own.
server.listen(0, () => parentPort.postMessage(server.address().port));
parentPort.on('message', () => parentPort.postMessage({ count, lastAt }));
