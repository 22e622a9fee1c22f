import { asMap, type Json, type JsonMap, parseJson } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { changeResponses, onRequest, onResponses, renamed, sent, values } from './makers.js';

/** RFC 9404: what is wrong with its methods altogether. */

const BLOB = 'urn:ietf:params:jmap:blob';

let account = '';

export const blobRuleFaults: readonly Fault[] = [
  {
    name: 'the methods of blobs need no capability',
    checks: ['blob-methods-capability'],
    ...onRequest((request) => ({
      ...request,
      using: [...(request['using'] as Json[]).filter((one) => one !== BLOB), BLOB],
    })),
  },
  {
    name: 'blobs are copied with the capability of blobs alone',
    checks: ['blob-methods-capability'],
    ...renamed('fromAccountNotFound', 'unknownMethod'),
  },
  {
    name: 'another user’s account is forbidden to the methods of blobs',
    checks: ['blob-methods-foreign-account'],
    ...renamed('accountNotFound', 'forbidden'),
  },
  {
    name: 'Blob/upload passes over what else a /set takes',
    checks: ['blob-method-upload-create-only'],
    ...sent('upload', ({ update: _, destroy: __, ifInState: ___, ...args }) => args),
  },
  {
    name: 'blobs have a state',
    checks: ['blob-method-upload-create-only'],
    ...changeResponses('upload', (args) => ({ ...args, newState: '1' })),
  },
  {
    name: 'blobs of a call are made in the order in which they are listed',
    checks: ['blob-method-upload-same-call'],
    ...sent('upload', (args) => {
      const known = new Set<string>();
      const create = values(args['create'], (one, key) => {
        const { data, ...rest } = asMap(one);
        known.add(`#${key}`);
        return { ...rest, data: Array.isArray(data) ? data.map((part) => made(part, known)) : [] };
      });
      return { ...args, create };
    }),
  },
  {
    name: 'blobs that are part of themselves are not found',
    checks: ['blob-method-upload-same-call'],
    ...changeResponses('upload', (args) => ({
      ...args,
      notCreated: values(args['notCreated'], (one) => ({ ...asMap(one), type: 'blobNotFound' })),
    })),
  },
  {
    name: 'images are looked into',
    checks: ['blob-method-upload-any-octets'],
    ...changeResponses('upload', (args) => {
      const { image, ...created } = asMap(args['created']);
      if (image === undefined) return args;
      return { ...args, created, notCreated: { image: { type: 'invalidProperties' } } };
    }),
  },
  {
    name: 'an upload whose type is JSON is read as JSON',
    checks: ['blob-method-upload-any-octets'],
    ...onResponses(([name, args, id]) =>
      name === 'Blob/get'
        ? [name, asMap(parseJson(JSON.stringify(args).replaceAll('eyJhIjoxLCJhIjo=', 'e30='))), id]
        : [name, args, id],
    ),
  },
  {
    name: 'blobs are looked up in one account, whichever is asked for',
    checks: ['blob-lookup-copied'],
    ...sent('lookup', (args) => {
      account = account === '' ? String(args['accountId']) : account;
      return { ...args, accountId: account };
    }),
  },
];

/** A part whose creation id nobody has yet refers to nothing. */
function made(part: Json, known: ReadonlySet<string>): Json {
  const { blobId } = asMap(part);
  const isLater = typeof blobId === 'string' && blobId.startsWith('#') && !known.has(blobId);
  return isLater ? ({ ...asMap(part), blobId: 'b-nothing' } as JsonMap) : part;
}
