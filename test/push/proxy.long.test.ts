import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, CORE, TODOS } from '../support/client.js';
import { makeUser } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { useServer } from '../support/server.js';
import { RawStream } from './raw-stream.js';

const hasNginx = spawnSync('nginx', ['-v']).status === 0;
/** By default nginx ends a response on which nothing comes for 60 s. */
const BEYOND_NGINX = 75_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A configuration with nginx's own times, and nothing but two places to pass on to. */
function configuration(folder: string, ports: readonly (readonly [from: number, to: string])[]) {
  const servers = ports.map(
    ([from, to]) =>
      `server { listen 127.0.0.1:${from}; proxy_http_version 1.1; location / { proxy_pass ${to};}}`,
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return [
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;`,
    'events {}',
    `http { access_log off; ${temporary.join(' ')} ${servers.join(' ')} }`,
  ].join('\n');
}

describe.skipIf(!hasNginx)('an event source behind nginx', () => {
  const server = useServer();
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-nginx-'));
  let nginx: ChildProcess;
  let silent: Server;
  let ports: readonly [number, number];

  beforeAll(async () => {
    silent = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 1000\n\n');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as AddressInfo;
    ports = [await freePort(), await freePort()];
    const places = [
      [ports[0], server().url],
      [ports[1], `http://127.0.0.1:${port}`],
    ] as const;
    writeFileSync(join(folder, 'nginx.conf'), configuration(folder, places));
    nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
    await eventually(async () => {
      expect((await fetch(`http://127.0.0.1:${ports[0]}/healthz`)).status).toBe(200);
    });
  });

  afterAll(async () => {
    const ended = new Promise((resolve) => nginx.once('exit', resolve));
    nginx.kill('SIGQUIT');
    silent.closeAllConnections();
    silent.close();
    nginx.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('outlives its limit for silence, and has no event of its own without a ping', async () => {
    const { accountId, token } = await makeUser(server());
    const behind = (port: number) => new Client(`http://127.0.0.1:${port}`, token, [CORE, TODOS]);
    const stream = new RawStream(behind(ports[0]), { query: 'types=*&closeafter=no&ping=0' });
    const other = new RawStream(behind(ports[1]));
    await Promise.all([stream.opened, other.opened]);
    await delay(BEYOND_NGINX);
    // One that keeps quiet is ended: the limit is there.
    expect(other.end).not.toBeNull();
    expect([stream.end, stream.events]).toEqual([null, 0]);
    const create = { k: { text: 'x' } };
    const { newState } = await behind(ports[0]).set('Todo', { accountId, create });
    await eventually(() => {
      expect(JSON.parse(stream.last || '{}').changed).toEqual({ [accountId]: { Todo: newState } });
    });
    stream.socket.destroy();
  });
});
