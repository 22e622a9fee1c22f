import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Asks a server for its health until it is told to stop; answers with the waits, ms. */
const waits = [];
let asks = true;
parentPort.once('message', () => {
  asks = false;
});
while (asks) {
  const asked = performance.now();
  await (await fetch(`${workerData}/healthz`)).text();
  waits.push(performance.now() - asked);
  await pause(2);
}
parentPort.postMessage(waits);
