import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Connection } from '../../bench/load/connection.js';
import { requestText } from '../../bench/load/generate.js';

async function connect(server: Server): Promise<Connection> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connection = await Connection.open((server.address() as AddressInfo).port);
  onTestFinished(() => {
    connection.close();
    server.close();
  });
  return connection;
}

test('answers are read to their end, with a length or in chunks, one by one', async () => {
  const connection = await connect(
    createServer((request, response) => {
      if (request.url === '/length') {
        response.statusCode = 201;
        response.setHeader('content-length', 70_000);
        response.write('a'.repeat(30_000));
        setTimeout(() => response.end('b'.repeat(40_000)), 20);
      } else {
        response.write('{"first":');
        setTimeout(() => response.write('"0\\r\\n\\r\\n"'), 10);
        setTimeout(() => response.end('}'), 20);
      }
    }),
  );
  const long = await connection.send(requestText('GET', '/length', 'token'));
  expect([long.status, long.body.length]).toEqual([201, 70_000]);
  const chunked = await connection.send(requestText('GET', '/chunks', 'token'));
  expect(chunked.body.toString()).toBe('{"first":"0\\r\\n\\r\\n"}');
  const again = await connection.send(requestText('GET', '/length', 'token'));
  expect(again.body.subarray(-2).toString()).toBe('bb');
});

test('a request holds its token and its body', async () => {
  const seen: string[] = [];
  const connection = await connect(
    createServer((request, response) => {
      seen.push(request.headers.authorization ?? '');
      request
        .on('data', (chunk: Buffer) => seen.push(chunk.toString()))
        .on('end', () => {
          response.end();
        });
    }),
  );
  await connection.send(requestText('POST', '/', 'secret', { text: 'ü' }));
  expect(seen).toEqual(['Bearer secret', '{"text":"ü"}']);
});

test('a connection that the server closes fails the request that waits', async () => {
  const connection = await connect(createServer((request) => request.socket.destroy()));
  await expect(connection.send(requestText('GET', '/', 'token'))).rejects.toThrow(/closed/);
});
