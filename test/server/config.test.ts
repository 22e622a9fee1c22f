import { describe, expect, it } from 'vitest';
import { ConfigError, parseDuration, readConfig } from '../../src/server/config.js';

const read = (env: Record<string, string>, memory = 4e9) => readConfig(env, '/project', memory);

describe('configuration', () => {
  it('without variables is what docs/reference/configuration.md says', () => {
    expect(read({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      baseUrl: null,
      database: { kind: 'sqlite', file: '/project/data/jmap.db' },
      dataDir: '/project/data',
      principals: 'shared',
      blobStore: { kind: 'file', folder: '/project/data/blobs' },
      trustProxy: [],
      corsOrigins: [],
      logLevel: 'info',
      bootstrapToken: true,
      metricsToken: null,
      websocketCompression: false,
      secretsKey: null,
      explain: true,
      admin: false,
      scanThreads: null,
      auth: { file: null, allow: [], settings: { providers: [], basic: 'off' } },
      push: { isOn: true, contact: null, allow: [], deny: [], hosts: [], ca: null },
      pushBus: { kind: 'listen' },
      rateLimits: {
        rules: [{ subject: 'address', name: 'address', count: 100, seconds: 60 }],
        isDefault: true,
        store: 'memory',
      },
      limits: {
        maxSizeUpload: 250_000_000,
        maxSizeRequest: 10_000_000,
        maxSizeResponse: 100_000_000,
        answerMemory: 400_000_000,
        maxConcurrentUpload: 4,
        maxConcurrentRequests: 8,
        maxCallsInRequest: 32,
        maxObjectsInGet: 1000,
        maxObjectsInSet: 1000,
        maxCascade: 10_000,
        queryMaxLimit: 5000,
        queryChangesMax: 10_000,
        requestTimeout: 30_000,
        hookTimeout: 2000,
        changesKeep: 30 * 24 * 3_600_000,
        blobsKeep: 3_600_000,
        onceKeep: 7 * 24 * 3_600_000,
        auditKeep: 90 * 24 * 3_600_000,
      },
    });
  });

  it('bounds answers by the memory that the process was given', () => {
    const limits = (env: Record<string, string>, memory: number): readonly number[] => {
      const { answerMemory, maxSizeResponse } = read(env, memory).limits;
      return [answerMemory, maxSizeResponse];
    };
    expect(limits({}, 300_000_000)).toEqual([75_000_000, 37_500_000]);
    expect(limits({ MAX_SIZE_RESPONSE: '1000000' }, 4e9)).toEqual([256 * 1024 ** 2, 1_000_000]);
    expect(limits({ ANSWER_MEMORY: '9000000' }, 4e9)).toEqual([9_000_000, 4_500_000]);
  });

  it('counts an empty value as not set', () => {
    expect(read({ PORT: '', BASE_URL: '', METRICS_TOKEN: '' })).toEqual(read({}));
  });

  it.each([
    [{}, true],
    [{ HOST: '127.8.0.1' }, true],
    [{ HOST: '::1' }, true],
    [{ HOST: 'localhost' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '::' }, false],
    [{ HOST: '192.0.2.1' }, false],
    [{ HOST: 'jmap.example.com' }, false],
    [{ NODE_ENV: 'production' }, false],
    [{ NODE_ENV: 'development' }, true],
    [{ NODE_ENV: 'production', EXPLAIN: 'on' }, true],
    [{ HOST: '0.0.0.0', EXPLAIN: 'on' }, true],
    [{ EXPLAIN: 'off' }, false],
  ])('with %j requests may ask to be explained: %s', (env, explain) => {
    expect(read(env).explain).toBe(explain);
  });

  it('SCAN_THREADS is a whole number from 1 to 64', () => {
    expect(read({ SCAN_THREADS: '64' }).scanThreads).toBe(64);
    for (const value of ['0', '65', 'two'])
      expect(() => read({ SCAN_THREADS: value })).toThrow(/SCAN_THREADS=.* from 1 to 64/);
  });

  it('PUSH_BUS is listen, or poll with an interval of 1s to 60s', () => {
    expect(read({ PUSH_BUS: 'listen' }).pushBus).toEqual({ kind: 'listen' });
    expect(read({ PUSH_BUS: 'poll:1s' }).pushBus).toEqual({ kind: 'poll', interval: 1000 });
    expect(read({ PUSH_BUS: 'poll:1m' }).pushBus).toEqual({ kind: 'poll', interval: 60_000 });
    for (const value of ['poll', 'poll:', 'poll:0s', 'poll:61s', 'poll:500ms', 'poll:1s:1s', 'x'])
      expect(() => read({ PUSH_BUS: value })).toThrow(/PUSH_BUS=.* poll:DURATION with 1s to 60s/);
  });

  it('DATA_DIR moves the database and the blobs unless they are named', () => {
    const { dataDir, database, blobStore } = read({ DATA_DIR: '../x', BLOB_STORE: 'file:/blobs' });
    expect([dataDir, database, blobStore]).toEqual([
      '/x',
      { kind: 'sqlite', file: '/x/jmap.db' },
      { kind: 'file', folder: '/blobs' },
    ]);
  });

  it.each([
    ['https://jmap.example.com', 'https://jmap.example.com/'],
    ['https://example.com/api/', 'https://example.com/api'],
    ['http://[::1]:8080', 'http://[::1]:8080/'],
  ])('BASE_URL=%s', (value, url) => {
    expect(read({ BASE_URL: value }).baseUrl?.href).toBe(url);
  });

  it.each([
    ['s3://bucket', { bucket: 'bucket', prefix: '', endpoint: null, region: 'us-east-1' }],
    [
      's3://bucket/a/b/?endpoint=http://127.0.0.1:9000&region=eu-1',
      { bucket: 'bucket', prefix: 'a/b/', endpoint: 'http://127.0.0.1:9000', region: 'eu-1' },
    ],
  ])('BLOB_STORE=%s', (value, place) => {
    expect(read({ BLOB_STORE: value }).blobStore).toEqual({ kind: 's3', ...place });
  });

  it('lists are separated by commas', () => {
    const env = {
      TRUST_PROXY: 'loopback, 10.0.0.0/8',
      CORS_ORIGINS: 'https://a.example,http://b:1',
    };
    expect(read(env)).toMatchObject({
      trustProxy: ['loopback', '10.0.0.0/8'],
      corsOrigins: ['https://a.example', 'http://b:1'],
    });
  });

  it.each<[name: string, value: string, legal: string]>([
    ['PORT', '-1', 'a whole number from 0 to 65535'],
    ['PORT', '65536', 'a whole number from 0 to 65535'],
    ['PORT', '80 ', 'a whole number'],
    ['PORT', '0x50', 'a whole number'],
    ['BASE_URL', 'example.com', 'an http or https URL'],
    ['BASE_URL', 'ftp://example.com', 'an http or https URL'],
    ['BASE_URL', 'https://user:pw@example.com', 'an http or https URL'],
    ['BASE_URL', 'https://example.com/?a=1', 'an http or https URL'],
    ['DATABASE_URL', 'mysql://x', 'file:PATH'],
    ['DATABASE_URL', 'file:', 'file:PATH'],
    ['BLOB_STORE', 'ftp://x', 'file:FOLDER'],
    ['BLOB_STORE', 's3://B', 's3://BUCKET/PREFIX'],
    ['BLOB_STORE', 's3://bucket?acl=public', 's3://BUCKET/PREFIX'],
    ['BLOB_STORE', 's3://bucket?endpoint=ftp://x', 's3://BUCKET/PREFIX'],
    ['CORS_ORIGINS', 'https://a.example/path', 'origins'],
    ['CORS_ORIGINS', 'a.example', 'origins'],
    ['LOG_LEVEL', 'loud', 'trace, debug, info'],
    ['BOOTSTRAP_TOKEN', 'no', 'on, off'],
    ['EXPLAIN', 'yes', 'one of on, off'],
    ['METRICS_TOKEN', 's3cret!x', 'characters'],
    ['SECRETS_KEY', 'c2hvcnQ=', '32 random octets'],
    ['MAX_CASCADE', '0', 'from 1 to'],
    ['REQUEST_TIMEOUT', '30', '30d, 12h, 5m or 2s'],
    ['HOOK_TIMEOUT', '1ms', '30d, 12h, 5m or 2s'],
    ['CHANGES_KEEP', '0d', '30d, 12h, 5m or 2s'],
    ['BLOBS_KEEP', '-1h', '30d, 12h, 5m or 2s'],
    ...[
      'MAX_SIZE_UPLOAD',
      'MAX_SIZE_REQUEST',
      'MAX_SIZE_RESPONSE',
      'MAX_CONCURRENT_UPLOAD',
      'MAX_CONCURRENT_REQUESTS',
      'MAX_CALLS_IN_REQUEST',
      'MAX_OBJECTS_IN_GET',
      'MAX_OBJECTS_IN_SET',
      'QUERY_MAX_LIMIT',
      'QUERY_CHANGES_MAX',
    ].map((name) => [name, '1e3', 'a whole number from'] as [string, string, string]),
  ])('%s=%s is refused with its name and what is legal', (name, value, legal) => {
    const start = (): unknown => read({ [name]: value });
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(new RegExp(`^${name}=`));
    expect(start).toThrow(legal);
  });

  it('does not repeat secrets', () => {
    const secrets = {
      BASE_URL: 'https://u:hunter2@jmap.example.com',
      DATABASE_URL: 'postgresql://u:hunter2@db:no-port/x',
      METRICS_TOKEN: 'hunter2 x',
      SECRETS_KEY: 'hunter2',
    };
    for (const [name, value] of Object.entries(secrets)) {
      expect(() => read({ [name]: value })).toThrow(ConfigError);
      expect(() => read({ [name]: value })).not.toThrow(/hunter2/);
    }
  });

  it.each([
    ['30d', 2_592_000_000],
    ['12h', 43_200_000],
    ['5m', 300_000],
    ['2s', 2000],
    ['2', null],
    ['2 s', null],
    ['1w', null],
    ['99999999999d', null],
  ])('the duration %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });
});
