import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { S3BlobStore } from '../../src/blobs/s3.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import { eventually } from '../support/poll.js';

/** A service of the test's own, which answers each request as it is told, or not at all. */
let service: Server;
let asked: string[];
let answer: (req: IncomingMessage, res: ServerResponse) => void;

const MB = 1024 ** 2;
const SHORT = { connect: 200, answer: 150, silence: 300 };

beforeEach(async () => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'x');
  asked = [];
  service = createServer((req, res) => {
    asked.push(`${req.method} ${(req.url ?? '').replace(/partNumber=\d+&/, '')}`);
    answer(req, res);
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
});

function store(timings = SHORT) {
  const { port } = service.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  return new S3BlobStore({ bucket: 'b', prefix: '', endpoint, region: 'r' }, timings);
}

function xml(res: ServerResponse, text: string): void {
  res.writeHead(200, { 'content-type': 'application/xml' }).end(text);
}

it('gives up a service that takes requests and never answers, after three attempts', async () => {
  answer = (req) => req.resume();
  await expect(store().read('a', 'b1')).rejects.toBeInstanceOf(UnavailableError);
  expect(asked).toHaveLength(3);
  asked.length = 0;
  const write = store().write('a', 'b1', Readable.from([Buffer.from('x')]), 10);
  await expect(write).rejects.toBeInstanceOf(UnavailableError);
  expect(asked).toHaveLength(3);
});

it('gives up a body that falls silent in the middle', async () => {
  answer = (_, res) => void res.writeHead(200, { 'content-length': '100' }).write('half');
  const body = await store().read('a', 'b1');
  await expect(body.toArray()).rejects.toThrow(/timed out|aborted/);
});

it('takes back the parts of an upload that fails: no unseen object is kept', async () => {
  answer = (req, res) => {
    req.resume();
    req.on('end', () => {
      if (req.method === 'POST') xml(res, '<R><UploadId>u1</UploadId></R>');
      else if (req.method === 'DELETE') res.writeHead(204).end();
      else res.writeHead(200, { etag: '"e"' }).end();
    });
  };
  const failure = new Error('the sender hung up');
  const source = Readable.from(
    (async function* () {
      for (let n = 0; n < 20; n += 1) yield Buffer.alloc(MB);
      throw failure;
    })(),
  );
  const patient = store({ connect: 10_000, answer: 10_000, silence: 10_000 });
  await expect(patient.write('a', 'b1', source, 100 * MB)).rejects.toBe(failure);
  await eventually(() => expect(asked.at(-1)).toMatch(/^DELETE \/b\/a\/b1\?uploadId=u1/));
  expect(asked.filter((each) => each.startsWith('POST'))).toHaveLength(1);
});

it('rejects if the service deletes only some of the objects of an account', async () => {
  answer = (req, res) => {
    req.resume();
    if (req.method === 'GET') {
      xml(res, '<R><Contents><Key>a/b1</Key></Contents><IsTruncated>false</IsTruncated></R>');
    } else {
      xml(
        res,
        '<R><Error><Key>a/b1</Key><Code>AccessDenied</Code><Message>no</Message></Error></R>',
      );
    }
  };
  await expect(store().deleteAccount('a')).rejects.toMatchObject({
    name: 'UnavailableError',
    cause: { message: 'AccessDenied: no' },
  });
});
