import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type { Logger };

/** A logger, and what puts everything it was told on its way: for the end of the process. */
export interface Logging {
  readonly log: Logger;
  flush(): void;
}

/** Names of fields, also of objects in fields, whose values are not logged. */
const TELLING = ['authorization', 'token', 'ticket', 'secret', 'password', 'headers'];

/** A message that says its cause already is not given it once more, as pino gives every message. */
function serialized(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { cause, message } = error;
  const said = pino.stdSerializers.err(error);
  const hasCause = cause instanceof Error && message.includes(cause.message);
  return hasCause ? { ...said, message } : said;
}

/**
 * Makes the log: one JSON object a line, on stderr. Callers log ids, route templates and numbers,
 * never headers or URLs with their query. The log cuts out fields of objects with telling names.
 */
export function createLogging(level: string, stream?: DestinationStream): Logging {
  // Not synchronous: a slow reader of the log must not stall requests.
  const stderr = stream === undefined ? destination({ dest: 2, sync: false }) : null;
  const log = pino(
    {
      level,
      base: null,
      serializers: { err: serialized },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: {
        paths: TELLING.flatMap((name) => [name, `*.${name}`]),
        censor: '[redacted]',
      },
    },
    stderr ?? stream,
  );
  return { log, flush: () => stderr?.flushSync() };
}
