import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import type { BlobLocation } from '../blobs/index.js';
import type { PrincipalMode } from '../methods/principals/principal-services.js';
import { parseUrl } from '../runtime/parse-url.js';
import { parseSpan } from '../runtime/spans.js';
import { readAuth } from './auth-config.js';
import { ConfigError } from './config-error.js';
import { memoryGiven } from './memory.js';
import { readPushBus } from './push-bus.js';
import { readPush } from './push-config.js';
import { readRates } from './rate-config.js';

export { ConfigError } from './config-error.js';

/**
 * Every environment variable, read once and validated: docs/reference/configuration.md lists them.
 */
export type Config = ReturnType<typeof readConfig>;

type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  /** The URL may hold a password. */
  | { readonly kind: 'postgresql'; readonly url: string };

/** Octets, counts and milliseconds (`*Keep`, `*Timeout`). */
export type Limits = ReturnType<typeof readLimits>;

type Environment = Readonly<Record<string, string | undefined>>;

const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;
/** So that ordinary answers have room where MAX_SIZE_RESPONSE is small. */
const LEAST_ANSWER_MEMORY = 256 * 1024 ** 2;
/** The least that ANSWER_MEMORY may be set to. */
const LEAST_SET = 1_000_000;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Parses `30d`, `12h`, `5m`, `2s` to milliseconds; null where it is no duration. */
export function parseDuration(text: string): number | null {
  return text.endsWith('ms') ? null : parseSpan(text);
}

/** Reads variables; each method throws ConfigError for a value that it doesn't take. */
class Variables {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(name: string): string | null {
    const value = this.#environment[name];
    return value === undefined || value === '' ? null : value;
  }

  /**
   * Returns the value of a variable, parsed by `parse`; null where it isn't set. Throws ConfigError
   * with `legal` where `parse` returns null.
   */
  parsed<T>(name: string, legal: string, parse: (text: string) => T | null): T | null {
    const text = this.text(name);
    const value = text === null ? null : parse(text);
    if (text === null || value !== null) return value;
    throw new ConfigError(name, text, legal);
  }

  /** Throws ConfigError for the variable as it is, or for the part that is wrong. */
  refuse(name: string, legal: string, part: string = this.text(name) ?? ''): never {
    throw new ConfigError(name, part, legal);
  }

  integer(name: string, fallback: number, minimum: number, maximum: number): number {
    const legal = `a whole number from ${minimum} to ${maximum}`;
    const parse = (text: string): number | null => {
      const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      return number >= minimum && number <= maximum ? number : null;
    };
    return this.parsed(name, legal, parse) ?? fallback;
  }

  /** A second at least. */
  duration(name: string, fallback: number): number {
    const legal = 'a duration such as 30d, 12h, 5m or 2s, 1s at least';
    return this.parsed(name, legal, parseDuration) ?? fallback;
  }

  choice(name: string, fallback: string, legal: readonly string[]): string {
    const parse = (text: string): string | null => (legal.includes(text) ? text : null);
    return this.parsed(name, `one of ${legal.join(', ')}`, parse) ?? fallback;
  }

  isOn(name: string, fallback: boolean): boolean {
    return this.choice(name, fallback ? 'on' : 'off', ['on', 'off']) === 'on';
  }
}

/**
 * Reads the configuration of a server or tool whose project lies in `root`; `memory` is what the
 * process may take, octets. Throws ConfigError.
 */
export function readConfig(environment: Environment, root: string, memory: number = memoryGiven()) {
  const from = new Variables(environment);
  const dataDir = resolve(root, from.text('DATA_DIR') ?? 'data');
  const ownDatabase: DatabaseLocation = { kind: 'sqlite', file: resolve(dataDir, 'jmap.db') };
  const ownBlobs: BlobLocation = { kind: 'file', folder: resolve(dataDir, 'blobs') };
  const region = from.text('AWS_REGION') ?? 'us-east-1';
  const host = from.text('HOST') ?? '127.0.0.1';
  const isDevelopment = isLoopback(host) && from.text('NODE_ENV') !== 'production';
  const databaseLocation =
    from.parsed('DATABASE_URL', DATABASES, (text) => database(text, root)) ?? ownDatabase;
  return Object.freeze({
    port: from.integer('PORT', 8080, 0, 65_535),
    host,
    /** Public base URL without a trailing slash, or null: from the request. */
    baseUrl: from.parsed('BASE_URL', BASE_URLS, baseUrl),
    database: databaseLocation,
    dataDir,
    blobStore:
      from.parsed('BLOB_STORE', BLOB_STORES, (text) => blobStore(text, root, region)) ?? ownBlobs,
    /** Addresses and subnets of trusted proxies (proxy-addr's notation), empty for none. */
    trustProxy: itemsOf(from.text('TRUST_PROXY') ?? ''),
    /** Origins, or `*`. */
    corsOrigins: from.parsed('CORS_ORIGINS', ORIGINS, origins) ?? [],
    logLevel: from.choice('LOG_LEVEL', 'info', LOG_LEVELS),
    bootstrapToken: from.isOn('BOOTSTRAP_TOKEN', true),
    metricsToken: from.parsed('METRICS_TOKEN', BEARERS, bearer),
    websocketCompression: from.isOn('WEBSOCKET_COMPRESSION', false),
    /** 32 octets: what encrypted secret properties are stored with. */
    secretsKey: from.parsed('SECRETS_KEY', SECRETS_KEYS, secretsKey),
    /** Requests may ask to be explained: they see statements of the database. */
    explain: from.isOn('EXPLAIN', isDevelopment),
    /** Users with the role `admin` manage users, accounts, access and tokens by the API. */
    admin: from.isOn('ADMIN', false),
    /** The users that users see as principals, if types are shared. */
    principals: from.choice('PRINCIPALS', 'shared', ['shared', 'all', 'off']) as
      | PrincipalMode
      | 'off',
    /** Threads that scan, on SQLite; null: as many as suit the machine. */
    scanThreads: from.text('SCAN_THREADS') === null ? null : from.integer('SCAN_THREADS', 1, 1, 64),
    auth: readAuth(from, root),
    push: readPush(from, root),
    /** How servers that share a PostgreSQL tell each other of commits. */
    pushBus: readPushBus(from, parseDuration),
    rateLimits: readRates(from, databaseLocation.kind),
    limits: readLimits(from, memory),
  });
}

function readLimits(from: Variables, memory: number) {
  const huge = Number.MAX_SAFE_INTEGER;
  const largestResponse = from.integer('MAX_SIZE_RESPONSE', 100_000_000, 1000, 400_000_000);
  const need = Math.max(4 * largestResponse, LEAST_ANSWER_MEMORY);
  const room = Math.floor(Math.min(need, memory / 4));
  const answerMemory = from.integer('ANSWER_MEMORY', room, LEAST_SET, huge);
  return Object.freeze({
    maxSizeUpload: from.integer('MAX_SIZE_UPLOAD', 250_000_000, 1, huge),
    maxSizeRequest: from.integer('MAX_SIZE_REQUEST', 10_000_000, 1, 400_000_000),
    // One user's answers may take half.
    maxSizeResponse: Math.min(largestResponse, Math.floor(answerMemory / 2)),
    // Octets of large answers that the process holds at once.
    answerMemory,
    maxConcurrentUpload: from.integer('MAX_CONCURRENT_UPLOAD', 4, 1, 100_000),
    maxConcurrentRequests: from.integer('MAX_CONCURRENT_REQUESTS', 8, 1, 100_000),
    maxCallsInRequest: from.integer('MAX_CALLS_IN_REQUEST', 32, 1, 100_000),
    maxObjectsInGet: from.integer('MAX_OBJECTS_IN_GET', 1000, 1, 1_000_000),
    maxObjectsInSet: from.integer('MAX_OBJECTS_IN_SET', 1000, 1, 1_000_000),
    // Objects that one destroy may take along or change.
    maxCascade: from.integer('MAX_CASCADE', 10_000, 1, 1_000_000),
    queryMaxLimit: from.integer('QUERY_MAX_LIMIT', 5000, 1, 1_000_000),
    queryChangesMax: from.integer('QUERY_CHANGES_MAX', 10_000, 1, 1_000_000),
    requestTimeout: from.duration('REQUEST_TIMEOUT', 30 * SECOND),
    hookTimeout: from.duration('HOOK_TIMEOUT', 2 * SECOND),
    changesKeep: from.duration('CHANGES_KEEP', 30 * DAY),
    blobsKeep: from.duration('BLOBS_KEEP', 3600 * SECOND),
    // How long the answers of calls with a key are kept.
    onceKeep: from.duration('ONCE_KEEP', 7 * DAY),
    // How long acts on users, accounts, access and tokens stay in the audit.
    auditKeep: from.duration('AUDIT_KEEP', 90 * DAY),
  });
}

/** Only programs of the same machine reach a server that listens there. */
function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost';
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8);
  loopback.addAddress('::1', 'ipv6');
  return loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}

function itemsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

const SECRETS_KEYS = 'the base64 of 32 random octets (openssl rand -base64 32)';

function secretsKey(text: string): Uint8Array | null {
  const octets = Buffer.from(text, 'base64');
  return octets.length === 32 && octets.toString('base64') === text ? octets : null;
}

export const BASE_URLS =
  'an http or https URL without query, fragment or user, such as https://jmap.example.com/api';

function baseUrl(text: string): URL | null {
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (url.search + url.hash + url.username + url.password !== '') return null;
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** Returns the path of `file:PATH`. */
function pathOf(text: string, root: string): string | null {
  const path = /^file:(?:\/\/)?(.+)$/.exec(text)?.[1];
  return path === undefined ? null : resolve(root, path);
}

const DATABASES =
  'file:PATH, such as file:./data/jmap.db, or postgresql://USER:PASSWORD@HOST:PORT/NAME ' +
  '(special characters of a password percent-encoded)';

function database(text: string, root: string): DatabaseLocation | null {
  if (/^postgres(ql)?:/i.test(text)) {
    return parseUrl(text) === null ? null : { kind: 'postgresql', url: text };
  }
  const file = pathOf(text, root);
  return file === null ? null : { kind: 'sqlite', file };
}

const BLOB_STORES =
  'file:FOLDER, such as file:./data/blobs, or s3://BUCKET/PREFIX with ?endpoint=URL and ' +
  '&region=NAME where needed';

function blobStore(text: string, root: string, region: string): BlobLocation | null {
  if (text.startsWith('s3:')) return s3(text, region);
  const folder = pathOf(text, root);
  return folder === null ? null : { kind: 'file', folder };
}

const S3_PARAMETERS: readonly string[] = ['endpoint', 'region'];

function s3(text: string, region: string): BlobLocation | null {
  const url = parseUrl(text);
  if (url === null || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) return null;
  const parameters = url.searchParams;
  const endpoint = parameters.get('endpoint');
  if (![...parameters.keys()].every((name) => S3_PARAMETERS.includes(name))) return null;
  if (endpoint !== null && !/^https?:$/.test(parseUrl(endpoint)?.protocol ?? '')) return null;
  const path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    kind: 's3',
    bucket: url.host,
    prefix: path === '' ? '' : `${path}/`,
    endpoint,
    region: parameters.get('region') ?? region,
  };
}

const BEARERS = 'up to 1,024 of the characters A-Z a-z 0-9 . _ ~ + / -';

/** Returns a value that an Authorization header can carry (RFC 6750 2.1). */
function bearer(text: string): string | null {
  return /^[A-Za-z0-9._~+/-]{1,1024}=*$/.test(text) ? text : null;
}

const ORIGINS = 'a list of origins such as https://app.example.com, or *';

function origins(text: string): readonly string[] | null {
  const items = itemsOf(text);
  return items.every((item) => item === '*' || parseUrl(item)?.origin === item) ? items : null;
}
