/** The command's options, as `util.parseArgs` takes them. */
export const OPTIONS = {
  url: { type: 'string' },
  token: { type: 'string' },
  basic: { type: 'string' },
  'other-token': { type: 'string', multiple: true },
  'other-basic': { type: 'string', multiple: true },
  account: { type: 'string', multiple: true },
  ca: { type: 'string' },
  timeout: { type: 'string' },
  samples: { type: 'string' },
  descriptor: { type: 'string', multiple: true },
  type: { type: 'string', multiple: true },
  transport: { type: 'string', default: 'http' },
  'push-sink': { type: 'string' },
  'push-listen': { type: 'string' },
  'push-certificate': { type: 'string' },
  section: { type: 'string', multiple: true },
  check: { type: 'string', multiple: true },
  level: { type: 'string' },
  report: { type: 'string', default: 'text' },
  output: { type: 'string' },
  seed: { type: 'string' },
  strict: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
} as const;

/** Holds the command's options, as they were written. */
export interface Options {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly basic?: string | undefined;
  readonly 'other-token'?: readonly string[] | undefined;
  readonly 'other-basic'?: readonly string[] | undefined;
  readonly account?: readonly string[] | undefined;
  readonly ca?: string | undefined;
  readonly timeout?: string | undefined;
  readonly samples?: string | undefined;
  readonly descriptor?: readonly string[] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly transport: string;
  readonly 'push-sink'?: string | undefined;
  readonly 'push-listen'?: string | undefined;
  readonly 'push-certificate'?: string | undefined;
  readonly section?: readonly string[] | undefined;
  readonly check?: readonly string[] | undefined;
  readonly level?: string | undefined;
  readonly report: string;
  readonly seed?: string | undefined;
  readonly strict?: boolean | undefined;
}
