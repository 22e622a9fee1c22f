import { createECDH, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { encrypt } from 'http_ece';

/**
 * Pushes as little as can be: the library of the RFC's author encrypts, and bare requests go over
 * kept connections. `bare.mjs PORT COUNT CONNECTIONS CA` prints the time and the processor time.
 */
const [port, count, connections, ca] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections), ca: readFileSync(ca) });
const receiver = createECDH('prime256v1').generateKeys();
const authSecret = randomBytes(16);
const text = Buffer.from(`{"@type":"StateChange","changed":{"${'a'.repeat(22)}":{"Todo":"100"}}}`);

function push(n) {
  const privateKey = createECDH('prime256v1');
  privateKey.generateKeys();
  const body = encrypt(text, { version: 'aes128gcm', privateKey, dh: receiver, authSecret });
  const headers = {
    ...{ 'Content-Type': 'application/json', 'Content-Encoding': 'aes128gcm', TTL: '86400' },
    ...{ Urgency: 'normal', Topic: 't'.repeat(32), Authorization: `vapid t=${'v'.repeat(300)}` },
    'Content-Length': body.length,
  };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: `/bare/${n}`, method: 'POST', agent, headers };
    request(options, (response) => response.resume().once('end', resolve))
      .once('error', reject)
      .end(body);
  });
}

let begun = 0;
async function pushOneByOne(until) {
  while (begun < until) {
    begun += 1;
    await push(begun);
  }
}

const lanes = (until) =>
  Promise.all(Array.from({ length: Number(connections) }, () => pushOneByOne(until)));
// The first ones compile the code and open the connections.
await lanes(Number(count) / 2);
const before = { time: performance.now(), cpu: process.cpuUsage() };
await lanes(Number(count) * 1.5);
const { user, system } = process.cpuUsage(before.cpu);
const took = performance.now() - before.time;
process.stdout.write(JSON.stringify({ took, spent: user + system }));
process.exit();
