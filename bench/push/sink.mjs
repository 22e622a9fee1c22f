import { createServer } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';

/** A push service that takes everything; it runs in a thread, and counts what comes. */
let count = 0;
let lastAt = 0;
const server = createServer(workerData, (request, response) => {
  request.resume().on('end', () => {
    count += 1;
    lastAt = performance.timeOrigin + performance.now();
    response.writeHead(201).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
parentPort.on('message', () => parentPort.postMessage({ count, lastAt }));
