import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import type { BlobLocation } from '../blobs/index.js';
import { memoryGiven } from './memory-given.js';

/** Every environment variable, read once and validated: docs/configuration.md lists them. */
export type Config = ReturnType<typeof readConfig>;

type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  /** The URL may hold a password. */
  | { readonly kind: 'postgresql'; readonly url: string };

/** Octets, counts and milliseconds (`*Keep`, `*Timeout`). */
export type Limits = ReturnType<typeof readLimits>;

/** A variable whose value is wrong: tools print it and exit with 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(variable: string, value: string, legal: string) {
    super(`${variable}=${JSON.stringify(value)} is not usable: it takes ${legal}.`);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;
const UNITS: Readonly<Record<string, number>> = {
  s: SECOND,
  m: 60 * SECOND,
  h: 3600 * SECOND,
  d: DAY,
};
/** So that ordinary answers have room where MAX_SIZE_RESPONSE is small. */
const LEAST_ANSWER_MEMORY = 256 * 1024 ** 2;
/** The least that ANSWER_MEMORY may be set to. */
const LEAST_SET = 1_000_000;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Parses `30d`, `12h`, `5m`, `2s` to milliseconds; null where it is no duration. */
export function parseDuration(text: string): number | null {
  const match = /^([1-9]\d{0,8})([smhd])$/.exec(text);
  const unit = match?.[2] === undefined ? undefined : UNITS[match[2]];
  return match === null || unit === undefined ? null : Number(match[1]) * unit;
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

  integer(name: string, fallback: number, minimum: number, maximum: number): number {
    const value = this.text(name);
    if (value === null) return fallback;
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    throw new ConfigError(name, value, `a whole number from ${minimum} to ${maximum}`);
  }

  /** A second at least. */
  duration(name: string, fallback: number): number {
    const value = this.text(name);
    if (value === null) return fallback;
    const milliseconds = parseDuration(value);
    if (milliseconds !== null) return milliseconds;
    throw new ConfigError(name, value, 'a duration such as 30d, 12h, 5m or 2s, 1s at least');
  }

  choice(name: string, fallback: string, legal: readonly string[]): string {
    const value = this.text(name) ?? fallback;
    if (legal.includes(value)) return value;
    throw new ConfigError(name, value, `one of ${legal.join(', ')}`);
  }

  isOn(name: string, fallback: boolean): boolean {
    return this.choice(name, fallback ? 'on' : 'off', ['on', 'off']) === 'on';
  }

  list(name: string): readonly string[] {
    const items = (this.text(name) ?? '').split(',').map((item) => item.trim());
    return items.filter((item) => item !== '');
  }
}

/**
 * Reads the configuration of a server or tool whose project lies in `root`; `memory` is what the
 * process may take, octets. Throws ConfigError.
 */
export function readConfig(environment: Environment, root: string, memory: number = memoryGiven()) {
  const from = new Variables(environment);
  const dataDir = resolve(root, from.text('DATA_DIR') ?? 'data');
  const host = from.text('HOST') ?? '127.0.0.1';
  const isDevelopment = isLoopback(host) && from.text('NODE_ENV') !== 'production';
  return Object.freeze({
    port: from.integer('PORT', 8080, 0, 65_535),
    host,
    /** Public base URL without a trailing slash, or null: from the request. */
    baseUrl: baseUrl(from.text('BASE_URL')),
    database: database(from.text('DATABASE_URL'), root, dataDir),
    dataDir,
    blobStore: blobStore(from.text('BLOB_STORE'), root, dataDir, from.text('AWS_REGION')),
    /** Addresses and subnets of trusted proxies (proxy-addr's notation), empty for none. */
    trustProxy: from.list('TRUST_PROXY'),
    /** Origins, or `*`. */
    corsOrigins: origins(from.list('CORS_ORIGINS')),
    logLevel: from.choice('LOG_LEVEL', 'info', LOG_LEVELS),
    bootstrapToken: from.isOn('BOOTSTRAP_TOKEN', true),
    metricsToken: bearer('METRICS_TOKEN', from.text('METRICS_TOKEN')),
    websocketCompression: from.isOn('WEBSOCKET_COMPRESSION', false),
    /** 32 octets: what encrypted secret properties are stored with. */
    secretsKey: secretsKey(from.text('SECRETS_KEY')),
    /** Requests may ask to be explained: they see statements of the database. */
    explain: from.isOn('EXPLAIN', isDevelopment),
    /** Threads that scan, on SQLite; null: as many as suit the machine. */
    scanThreads: from.text('SCAN_THREADS') === null ? null : from.integer('SCAN_THREADS', 1, 1, 64),
    limits: readLimits(from, memory),
  });
}

function readLimits(from: Variables, memory: number) {
  const huge = Number.MAX_SAFE_INTEGER;
  const largestResponse = from.integer('MAX_SIZE_RESPONSE', 100_000_000, 1000, 400_000_000);
  const wanted = Math.max(4 * largestResponse, LEAST_ANSWER_MEMORY);
  const room = Math.floor(Math.min(wanted, memory / 4));
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

/** Base64 of 32 octets; the value is never repeated. */
function secretsKey(value: string | null): Uint8Array | null {
  if (value === null) return null;
  const octets = Buffer.from(value, 'base64');
  if (octets.length !== 32 || octets.toString('base64') !== value) {
    throw new ConfigError(
      'SECRETS_KEY',
      '…',
      'the base64 of 32 random octets (openssl rand -base64 32)',
    );
  }
  return octets;
}

function baseUrl(value: string | null): URL | null {
  if (value === null) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  const plain =
    url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  const hasUser = url !== null && (url.username !== '' || url.password !== '');
  if (url === null || !plain || hasUser) {
    throw new ConfigError(
      'BASE_URL',
      // A password is not repeated.
      hasUser ? `${url.protocol}//…@${url.host}` : value,
      'an http or https URL without query, fragment or user, such as https://jmap.example.com/api',
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

function database(value: string | null, root: string, dataDir: string): DatabaseLocation {
  if (value === null) return { kind: 'sqlite', file: resolve(dataDir, 'jmap.db') };
  if (/^postgres(ql)?:/i.test(value)) {
    if (URL.canParse(value)) return { kind: 'postgresql', url: value };
    // The value may hold a password: it is not repeated.
    throw new ConfigError('DATABASE_URL', 'postgresql://…', DATABASES);
  }
  const file = /^file:(?:\/\/)?(.+)$/.exec(value)?.[1];
  if (file === undefined) {
    const shown = value.includes('@') ? '…' : value;
    throw new ConfigError('DATABASE_URL', shown, DATABASES);
  }
  return { kind: 'sqlite', file: resolve(root, file) };
}

const DATABASES =
  'file:PATH, such as file:./data/jmap.db, or postgresql://USER:PASSWORD@HOST:PORT/NAME ' +
  '(special characters of a password percent-encoded)';

function blobStore(
  value: string | null,
  root: string,
  dataDir: string,
  region: string | null,
): BlobLocation {
  if (value === null) return { kind: 'file', folder: resolve(dataDir, 'blobs') };
  if (value.startsWith('s3:')) return s3(value, region);
  const folder = /^file:(?:\/\/)?(.+)$/.exec(value)?.[1];
  if (folder === undefined) throw new ConfigError('BLOB_STORE', value, BLOB_STORES);
  return { kind: 'file', folder: resolve(root, folder) };
}

const BLOB_STORES =
  'file:FOLDER, such as file:./data/blobs, or s3://BUCKET/PREFIX with ?endpoint=URL and &region=NAME where needed';

function s3(value: string, region: string | null): BlobLocation {
  const url = URL.canParse(value) ? new URL(value) : null;
  const known = [...(url?.searchParams.keys() ?? [])].every((name) => S3_PARAMETERS.has(name));
  const endpoint = url?.searchParams.get('endpoint') ?? null;
  const isHttp = endpoint === null || (URL.canParse(endpoint) && /^https?:/.test(endpoint));
  if (url === null || !known || !isHttp || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) {
    throw new ConfigError('BLOB_STORE', value, BLOB_STORES);
  }
  const path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    kind: 's3',
    bucket: url.host,
    prefix: path === '' ? '' : `${path}/`,
    endpoint,
    region: url.searchParams.get('region') ?? region ?? 'us-east-1',
  };
}

const S3_PARAMETERS: ReadonlySet<string> = new Set(['endpoint', 'region']);

/** A value that an Authorization header can carry (RFC 6750 2.1). It is a secret: the error does not repeat it. */
function bearer(variable: string, value: string | null): string | null {
  if (value === null || /^[A-Za-z0-9._~+/-]{1,1024}=*$/.test(value)) return value;
  throw new ConfigError(variable, '…', 'up to 1,024 of the characters A-Z a-z 0-9 . _ ~ + / -');
}

function origins(values: readonly string[]): readonly string[] {
  for (const value of values) {
    if (value !== '*' && !(URL.canParse(value) && new URL(value).origin === value)) {
      throw new ConfigError(
        'CORS_ORIGINS',
        value,
        'a list of origins such as https://app.example.com, or *',
      );
    }
  }
  return values;
}
