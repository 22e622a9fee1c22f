import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type { Logger };

/**
 * Structured logs: one JSON object a line, on stderr. Callers log ids, route templates and numbers; URLs with
 * their query and headers never reach a log, and what slips into an object under a telling name is cut out.
 */
export function createLogger(level: string, to?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: {
        paths: [
          'authorization',
          'token',
          'ticket',
          'secret',
          'password',
          '*.authorization',
          '*.token',
          '*.ticket',
          '*.secret',
          '*.password',
          'headers',
          '*.headers',
        ],
        censor: '[redacted]',
      },
    },
    // Not synchronous: a slow reader of the log must not stall requests. main flushes at the end.
    to ?? destination({ dest: 2, sync: false }),
  );
}
