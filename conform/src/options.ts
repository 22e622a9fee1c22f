/** The command's options, as `util.parseArgs` takes them. */
export const OPTIONS = {
  url: { type: 'string' },
  token: { type: 'string' },
  basic: { type: 'string' },
  'other-token': { type: 'string', multiple: true },
  'other-basic': { type: 'string', multiple: true },
  descriptor: { type: 'string', multiple: true },
  type: { type: 'string', multiple: true },
  transport: { type: 'string', default: 'http' },
  section: { type: 'string', multiple: true },
  check: { type: 'string', multiple: true },
  level: { type: 'string' },
  report: { type: 'string', default: 'text' },
  output: { type: 'string' },
  seed: { type: 'string' },
  list: { type: 'boolean', default: false },
} as const;
