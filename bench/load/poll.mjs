import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Asks a server for the same small things again and again, in a thread of its own, so that nothing
 * that the benchmark does itself delays what is measured. A message `begin` starts counting; `end`
 * is answered with the longest wait of each thing, in ms. A poll that is still waiting counts.
 */

/** Milliseconds between an answer and the next request. */
const PAUSE = 1;

/** By name: `{ longest, since }`, where `since` is when the request that waits now was sent. */
const waits = new Map();

for (const poll of workerData.polls) {
  const wait = { longest: 0, since: null };
  waits.set(poll.name, wait);
  void repeat(poll, wait);
}

parentPort.on('message', (message) => {
  if (message === 'begin') for (const wait of waits.values()) wait.longest = 0;
  else {
    const now = performance.now();
    const longest = [...waits].map(([name, wait]) => [
      name,
      Math.max(wait.longest, wait.since === null ? 0 : now - wait.since),
    ]);
    parentPort.postMessage(Object.fromEntries(longest));
  }
});

async function repeat({ name, method, url, headers, body }, wait) {
  const options = { method, headers, agent: false };
  for (;;) {
    wait.since = performance.now();
    const status = await send(url, options, body);
    // 408: the server took so long that it gave the request up.
    if (status !== 200 && status !== 201 && status !== 408)
      throw new Error(`${name} was answered with ${status}.`);
    wait.longest = Math.max(wait.longest, performance.now() - wait.since);
    wait.since = null;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

function send(url, options, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      response.on('end', () => resolve(response.statusCode)).on('error', reject);
      response.resume();
    });
    // A busy server may close connections that it has accepted: that is a wait as well.
    sent.on('error', (error) => (error.code === 'ECONNRESET' ? resolve(408) : reject(error)));
    sent.end(body);
  });
}
