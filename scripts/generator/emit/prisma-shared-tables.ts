import type { Model } from '../../../src/descriptor/model.js';
import type { Column, ColumnType, Table } from './prisma-datamodel.js';

/**
 * The engine's own tables, the same in every project. Their names begin with `Jmap`, so that a team
 * may call its types Account, User or State. Times are integer milliseconds, numbers 64-bit
 * integers.
 */

function column(name: string, type: ColumnType, rest: Partial<Column> = {}): Column {
  return Object.freeze({ name, type, nullable: false, ...rest });
}

/** Returns a column that may be null. */
function optionalColumn(name: string, type: ColumnType, description: string): Column {
  return column(name, type, { nullable: true, description });
}

/** Returns a frozen table of the engine's own. */
function makeTable(
  name: string,
  description: string,
  columns: readonly Column[],
  key: readonly string[],
  indexes: readonly (readonly string[])[] = [],
): Table {
  return Object.freeze({ name, description, columns, key, indexes });
}

const BLOBS = 'JmapBlob';

/** The engine's own tables, the same for every project. */
export const SHARED_TABLES: readonly Table[] = Object.freeze([
  makeTable(
    'JmapUser',
    'Who may log in.',
    [
      column('id', 'String'),
      column('name', 'String', { unique: true }),
      column('created', 'BigInt'),
      optionalColumn('disabled', 'BigInt', 'Since when nothing of the user is good; null: all is.'),
      optionalColumn('signedOut', 'BigInt', 'Sign-ins of before are over; null: none are.'),
      optionalColumn('roles', 'Json', 'Roles in the whole server; null: none.'),
    ],
    ['id'],
  ),
  makeTable(
    'JmapGroup',
    'A group of users: a principal with whom objects are shared (RFC 9670).',
    [
      column('id', 'String'),
      column('name', 'String', { unique: true }),
      column('created', 'BigInt'),
    ],
    ['id'],
  ),
  makeTable(
    'JmapMember',
    'A user of a group.',
    [column('userId', 'String'), column('groupId', 'String')],
    ['userId', 'groupId'],
    [['groupId']],
  ),
  makeTable(
    'JmapIdentity',
    'A user as an identity provider knows it.',
    [
      column('issuer', 'String'),
      column('subject', 'String'),
      column('userId', 'String'),
      column('created', 'BigInt'),
    ],
    ['issuer', 'subject'],
    [['userId']],
  ),
  makeTable(
    'JmapLogout',
    'A message of an identity provider that a sign-in is over.',
    [
      column('key', 'String', {
        description: 'A hash of the issuer, and of the user, the session or the message.',
      }),
      column('at', 'BigInt', { description: 'Sign-ins of before are over.' }),
      column('expires', 'BigInt', { description: 'When it has no meaning any more.' }),
    ],
    ['key'],
    [['expires']],
  ),
  makeTable(
    'JmapAudit',
    'An act on users, accounts, access or tokens.',
    [
      column('version', 'BigInt', { description: 'The access version that it made.' }),
      column('place', 'Int', { description: 'Its place among those of the version, from 0.' }),
      column('at', 'BigInt'),
      optionalColumn('actorId', 'String', 'The user who did it; null: a command, or the server.'),
      column('action', 'String', { description: 'Such as `user/disable`.' }),
      column('objectId', 'String', { description: 'Of the user, account, access or token.' }),
      optionalColumn(
        'detail',
        'Json',
        'The result, without secrets; null: there is nothing to tell.',
      ),
    ],
    ['version', 'place'],
    [['at']],
  ),
  makeTable(
    'JmapRate',
    'How often somebody has asked in a while, where servers count together.',
    [
      column('key', 'String', { description: 'A hash of the rule and the user or address.' }),
      column('points', 'BigInt'),
      column('expires', 'BigInt', { description: 'When it is counted anew.' }),
    ],
    ['key'],
    [['expires']],
  ),
  makeTable(
    'JmapAccount',
    'A collection of data (RFC 8620 1.6.2): the first part of every data key.',
    [
      column('id', 'String'),
      column('name', 'String'),
      column('ownerId', 'String'),
      optionalColumn('capabilities', 'Json', 'The URNs that it offers; null: all.'),
      column('created', 'BigInt'),
    ],
    ['id'],
    [['name']],
  ),
  makeTable(
    'JmapAccess',
    'The users of an account; its owner has a row too.',
    [column('accountId', 'String'), column('userId', 'String'), column('readOnly', 'Boolean')],
    ['accountId', 'userId'],
    [['userId']],
  ),
  makeTable(
    'JmapToken',
    'A bearer token, of which only a hash is kept.',
    [
      column('id', 'String'),
      column('secretHash', 'Bytes'),
      column('userId', 'String'),
      column('readOnly', 'Boolean'),
      column('scoped', 'Boolean', {
        description: "It reaches the accounts of JmapTokenAccount, not all of its user's.",
      }),
      optionalColumn('expires', 'BigInt', 'Null: never.'),
      column('created', 'BigInt'),
      optionalColumn('capabilities', 'Json', '`read` or `full` by URN; null: all of all.'),
      optionalColumn('types', 'Json', '`read` or `full` by type; null: all of all.'),
    ],
    ['id'],
    [['userId']],
  ),
  makeTable(
    'JmapTokenAccount',
    'An account that a scoped token reaches.',
    [column('tokenId', 'String'), column('accountId', 'String'), column('readOnly', 'Boolean')],
    ['tokenId', 'accountId'],
    [['accountId']],
  ),
  makeTable(
    'JmapTicket',
    'A ticket that stands for a token once, in a URL; only a hash is kept.',
    [
      column('hash', 'Bytes'),
      column('tokenId', 'String'),
      column('userId', 'String'),
      column('expires', 'BigInt'),
      optionalColumn('signIn', 'Json', "A provider's token, encrypted; null: the token is ours."),
    ],
    ['hash'],
    [['userId', 'expires'], ['expires']],
  ),
  makeTable(
    'JmapMeta',
    'Facts of the whole database by name, for instance the version of the access tables.',
    [column('key', 'String'), column('value', 'String')],
    ['key'],
  ),
  makeTable(
    'JmapState',
    'The state of a type in an account: the number of its last change record.',
    [
      column('accountId', 'String'),
      column('type', 'String'),
      column('number', 'BigInt'),
      column('objects', 'BigInt', {
        default: '0',
        description: 'How many objects of the type the account has.',
      }),
    ],
    ['accountId', 'type'],
  ),
  makeTable(
    'JmapChange',
    'A change record: what /changes reads.',
    [
      column('accountId', 'String'),
      column('type', 'String'),
      column('number', 'BigInt'),
      column('objectId', 'String'),
      column('kind', 'Int', {
        description:
          '0 created, 1 updated, 2 destroyed, 3 principals get or lose scopes, 4 a user’s own ' +
          'values changed.',
      }),
      column('at', 'BigInt'),
      optionalColumn(
        'properties',
        'String',
        'Of updated objects: the columns that alone changed, beside the time; null: any may have.',
      ),
      optionalColumn(
        'scopes',
        'String',
        'JSON: the scopes of the object from then on, what principals get and lose, or the scope ' +
          'of the user; null: none counted.',
      ),
      optionalColumn('scopesBefore', 'String', 'JSON: its scopes before; null: the same.'),
    ],
    ['accountId', 'type', 'number'],
  ),
  makeTable(
    'JmapScope',
    'A scope by which users see an object of a type with access rules.',
    [
      column('accountId', 'String'),
      column('type', 'String'),
      column('objectId', 'String', {
        description:
          'Empty: the principal of the scope got or lost scopes. "-": users who have the scope ' +
          'were told of a change.',
      }),
      column('scope', 'String'),
      column('number', 'BigInt', { description: 'Of the last change record about both.' }),
      column('gone', 'Boolean', { description: 'The object had it until that change.' }),
    ],
    ['accountId', 'type', 'objectId', 'scope'],
    // A principal's scope leads to all accounts where objects have it.
    [['scope', 'accountId', 'type', 'number', 'gone']],
  ),
  makeTable(
    'JmapGrant',
    'A scope that a principal has by a share (RFC 9670).',
    [column('accountId', 'String'), column('principalId', 'String'), column('scope', 'String')],
    ['accountId', 'principalId', 'scope'],
    [
      ['accountId', 'scope'],
      ['principalId', 'accountId', 'scope'],
    ],
  ),
  makeTable(
    'JmapReach',
    'A principal that may reach other accounts since shares changed (RFC 9670).',
    [
      column('principalId', 'String', { description: 'An asterisk: any.' }),
      column('number', 'BigInt', { description: 'The share version since the last time.' }),
    ],
    ['principalId'],
    [['number']],
  ),
  makeTable(
    'JmapUserValue',
    'The values that a user has given of its own at an object.',
    [
      column('accountId', 'String'),
      column('type', 'String'),
      column('objectId', 'String'),
      column('userId', 'String'),
      column('values', 'String', { description: 'JSON: by column.' }),
    ],
    ['accountId', 'type', 'objectId', 'userId'],
  ),
  makeTable(
    'JmapOnce',
    'A call or an upload that has a key of its client, and what it answered.',
    [
      column('accountId', 'String'),
      column('key', 'String', {
        description: 'A hash of the user, the method and the key that the client chose.',
      }),
      column('arguments', 'String', { description: 'A hash of the arguments.' }),
      column('answer', 'String', { description: 'JSON: what the call answers if it comes again.' }),
      column('at', 'BigInt'),
    ],
    ['accountId', 'key'],
    [['at']],
  ),
  makeTable(
    'JmapTask',
    'Work of hooks that the server does after a commit, at least once.',
    [
      column('accountId', 'String'),
      column('id', 'String'),
      column('kind', 'String', { description: 'afterCommit:TABLE, or accountCreated:DESCRIPTOR.' }),
      column('payload', 'String', { description: 'JSON: what the hook gets.' }),
      column('due', 'BigInt', { description: 'Before it, a server works at it or nobody may.' }),
      column('attempts', 'BigInt', { description: 'How often it was begun.' }),
      optionalColumn('error', 'String', 'Why it has failed the last time; null: it has not.'),
    ],
    ['accountId', 'id'],
    [['due']],
  ),
  makeTable(
    'JmapPushSubscription',
    'A URL that a client wants pushes at (RFC 8620 7.2); it ends with the token that made it.',
    [
      column('id', 'String'),
      column('tokenId', 'String'),
      column('userId', 'String'),
      column('deviceClientId', 'String'),
      column('url', 'String', { description: 'Encrypted where there is a SECRETS_KEY.' }),
      optionalColumn('p256dh', 'String', 'Encrypted as the URL; null: the client gave no keys.'),
      optionalColumn('auth', 'String', 'Encrypted as the URL; null: the client gave no keys.'),
      optionalColumn('types', 'Json', 'The types whose changes it wants; null: all.'),
      column('expires', 'BigInt'),
      column('created', 'BigInt'),
      column('code', 'String', { description: 'The client gives it to verify the subscription.' }),
      optionalColumn('verified', 'BigInt', 'When the client gave the code; null: not yet.'),
      optionalColumn('verificationSent', 'BigInt', 'When the code was sent; null: not yet.'),
      column('wrongCodes', 'BigInt', { description: 'How often another code was given.' }),
      optionalColumn('wrongSince', 'BigInt', 'When those began to be counted.'),
      optionalColumn('vapidKey', 'String', 'The key that signs its pushes; null: none does.'),
      column('shard', 'Int', { description: '0 to 15: a hash of the id.' }),
      optionalColumn('told', 'String', 'The states that it was told last; null: none.'),
      column('failures', 'BigInt', { description: 'Pushes in a row that have failed.' }),
      optionalColumn('firstFailure', 'BigInt', 'When the refusals in a row began.'),
      optionalColumn('notBefore', 'BigInt', 'Before it nothing is pushed.'),
      optionalColumn('lastSuccess', 'BigInt', 'When a push was last taken.'),
      optionalColumn('lastFailure', 'BigInt', 'When a push has last failed.'),
      optionalColumn('lastFailureReason', 'String', 'Why, in a word: `status-410`, `timeout`.'),
      optionalColumn('signIn', 'Json', "The facts of a provider's token; null: the token is ours."),
    ],
    ['id'],
    [['tokenId'], ['userId'], ['shard'], ['expires']],
  ),
  makeTable(
    'JmapVapidKey',
    'A key pair that signs pushes (RFC 8292). The one that does not retire is the current one.',
    [
      column('id', 'String'),
      column('private', 'String', { description: 'Encrypted where there is a SECRETS_KEY.' }),
      column('public', 'String', { description: 'base64url of the 65 octets of the point.' }),
      column('created', 'BigInt'),
      optionalColumn('retires', 'BigInt', 'When its subscriptions end; null: it is current.'),
    ],
    ['id'],
  ),
  makeTable(
    'JmapPushCreation',
    'A push subscription that was created within the last hour: it limits the rate of creation.',
    [
      column('id', 'String', { description: 'Of the subscription, which may be gone.' }),
      column('userId', 'String'),
      optionalColumn('host', 'String', 'Of its URL; null once the subscription is verified.'),
      column('at', 'BigInt'),
    ],
    ['id'],
    [['userId', 'at'], ['host', 'at'], ['at']],
  ),
  makeTable(
    'JmapReference',
    'An object that refers to another by a reference property: what restrict, cascade and ' +
      'setNull read.',
    [
      column('accountId', 'String'),
      column('toType', 'String'),
      column('toId', 'String'),
      column('fromType', 'String'),
      column('property', 'String', {
        description: 'The column, and the place within it: `parentId`, `steps/*/taskId`.',
      }),
      column('fromId', 'String'),
    ],
    ['accountId', 'toType', 'toId', 'fromType', 'property', 'fromId'],
    [['accountId', 'fromType', 'property', 'fromId']],
  ),
  makeTable(
    BLOBS,
    'A blob of an account; its octets are in the blob store.',
    [
      column('accountId', 'String'),
      column('id', 'String'),
      column('type', 'String', { description: 'The media type that it was uploaded with.' }),
      column('size', 'BigInt', { description: 'In octets.' }),
      column('uploaderId', 'String'),
      column('created', 'BigInt'),
      optionalColumn('unreferencedSince', 'BigInt', 'Null while an object refers to it.'),
    ],
    ['accountId', 'id'],
    [['unreferencedSince']],
  ),
  makeTable(
    'JmapBlobReference',
    'An object that refers to a blob: what Blob/lookup reads.',
    [
      column('accountId', 'String'),
      column('blobId', 'String'),
      column('type', 'String'),
      column('objectId', 'String'),
    ],
    ['accountId', 'blobId', 'type', 'objectId'],
    [['accountId', 'type', 'objectId']],
  ),
]);

/** Returns the same for a project: its quota of unreferenced blobs reads them by user and age. */
export function sharedTablesOf({ capabilities }: Pick<Model, 'capabilities'>): readonly Table[] {
  if (!capabilities.some(({ unreferencedBlobs }) => unreferencedBlobs)) return SHARED_TABLES;
  const columns = ['accountId', 'uploaderId', 'unreferencedSince'];
  return SHARED_TABLES.map((table) =>
    table.name === BLOBS ? { ...table, indexes: [...table.indexes, columns] } : table,
  );
}

/**
 * Tables that SQLite keeps in the order of their key (`WITHOUT ROWID`), which Prisma's language
 * can't say. Their rows are short and always found by key: with a rowid each insert would write two
 * trees, and every /set call writes a JmapState and a JmapChange. For data tables key-ordered.ts
 * decides it.
 */
export const KEY_ORDERED_TABLES: ReadonlySet<string> = new Set([
  'JmapMember',
  'JmapAccess',
  'JmapTokenAccount',
  'JmapTicket',
  'JmapMeta',
  'JmapState',
  'JmapChange',
  'JmapScope',
  'JmapGrant',
  'JmapReach',
  'JmapUserValue',
  'JmapReference',
  'JmapBlobReference',
]);
