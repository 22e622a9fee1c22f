import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import { serverChecks, typeChecks } from '../check.js';
import { asMap, type JsonMap } from '../client/json.js';
import type { Server } from '../subject/server.js';
import type { Subject } from '../subject/subject.js';
import { findBlobAccount, needBlobs } from './blob-accounts.js';

/** `urn:jmapsmith:once`: calls and uploads with a key, which a client may send again. */

const ONCE = 'urn:jmapsmith:once';

const KEY = 'Idempotency-Key';

/** Returns why no call can have a key; null where it can. */
const needOnce = (server: Server): string | null =>
  ONCE in server.user.session.capabilities ? null : `The session has no ${ONCE}.`;

/** Calls /set with a key. Returns the name and the arguments of its response. */
function setOnce({ client, type, A1: accountId }: Subject, onceKey: string, create: JsonMap) {
  const keyed = client.with([...client.using, ONCE]);
  return keyed.call(`${type}/set`, { accountId, create, onceKey });
}

/** Creates an object with a new key. Returns the key, the create and the answer. */
async function createOnce(subject: Subject) {
  const key = randomUUID();
  const create = { k: subject.create('once') };
  const first = await setOnce(subject, key, create);
  expect(first).toMatchObject([`${subject.type}/set`, { created: { k: {} } }]);
  return { key, create, first };
}

export const onceTypeChecks = typeChecks('5.3', { methods: ['get', 'set'], room: 2 }, [
  {
    id: 'once-again',
    level: 'must',
    rule:
      'A /set that comes again with its onceKey and the same arguments answers what it answered ' +
      'first, and changes nothing.',
    applies: ({ server }) => needOnce(server),
    async run(subject) {
      const { key, create, first } = await createOnce(subject);
      const before = await subject.takeSnapshot(subject.A1);
      expect(await setOnce(subject, key, create)).toEqual(first);
      expect(await subject.takeSnapshot(subject.A1)).toEqual(before);
    },
  },
  {
    id: 'once-other-arguments',
    level: 'must',
    rule: 'A /set with a onceKey that a call with other arguments had is invalidArguments.',
    applies: ({ server }) => needOnce(server),
    async run(subject) {
      const { key } = await createOnce(subject);
      const before = await subject.takeSnapshot(subject.A1);
      const other = await setOnce(subject, key, { other: subject.create('another') });
      expect(other).toEqual(subject.server.matchError('invalidArguments', 'onceKey'));
      expect(await subject.takeSnapshot(subject.A1)).toEqual(before);
    },
  },
]);

/** Uploads a text with a key. Returns the status and the blobId. */
async function uploadOnce(server: Server, key: string, body: string) {
  const { user } = server;
  const url = user.session.expand('uploadUrl', { accountId: findBlobAccount(server) });
  const headers = { 'content-type': 'text/plain', [KEY.toLowerCase()]: key };
  const { status, json } = await user.http.send(url, { method: 'POST', headers, body });
  return { status, blobId: asMap(json)['blobId'] };
}

const APPLIES = {
  applies: (server: Server) => needOnce(server) ?? needBlobs(server),
  transport: 'http',
} as const;

export const onceUploadChecks = serverChecks('6.1', [
  {
    ...APPLIES,
    id: 'once-upload-again',
    level: 'must',
    rule: `An upload that comes again with its ${KEY} and the same octets has the same blobId.`,
    async run(server) {
      const key = randomUUID();
      const first = await uploadOnce(server, key, 'the same');
      expect(first).toEqual({ status: expect.any(Number), blobId: expect.any(String) });
      expect(await uploadOnce(server, key, 'the same')).toEqual(first);
    },
  },
  {
    ...APPLIES,
    id: 'once-upload-other-octets',
    level: 'must',
    rule: `An upload with an ${KEY} that one with other octets had is refused with 422.`,
    async run(server) {
      const key = randomUUID();
      await uploadOnce(server, key, 'the first');
      const other = await uploadOnce(server, key, 'the second');
      expect(other).toEqual({ status: 422, blobId: undefined });
    },
  },
]);
