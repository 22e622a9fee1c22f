import { writeFile } from 'node:fs/promises';
import {
  type Command,
  EXIT,
  parseOptions,
  printError,
  UsageError,
} from '../../src/descriptor/command-line.js';
import { OPTIONS } from './options.js';
import { makeHarmless } from './report/visible.js';

const HELP = `
Usage: jmapsmith-conform --url URL --token TOKEN|--basic USER:PASSWORD [OPTION...]

Runs the conformance checks of RFC 8620, 8887, 9404, 9425 and 9670 against any JMAP server. The
report tells for each section how many checks passed, failed and don't apply. The run makes objects
of its own, removes them again, and touches no others.

  --url URL            the session's URL, or the one in front of /.well-known/jmap
  --token TOKEN        a bearer token; in its place CONFORM_TOKEN in the environment
  --basic USER:PASSWORD  HTTP Basic credentials in place of a token; or CONFORM_BASIC in the
                       environment, where other users of the machine don't see them
  --other-token TOKEN  one of another user, with whom objects are shared, and for what one may see
                       of another's; may be repeated
  --other-basic USER:PASSWORD  the same with HTTP Basic
  --descriptor FILE    describes a capability's types; may be repeated. Without one the types are
                       those of the server's own reference, if it has one
  --samples FILE       legal objects of types, as JSON or YAML: {Todo: [{text: a}]}. The objects of
                       the run have their values, for servers with rules that no descriptor tells
  --type NAME          only this type; may be repeated
  --account ID         makes objects in this account alone; repeated: copies go to the second.
                       Without it the user's own account comes first
  --ca FILE            trusts the authority whose certificate this is (PEM), for https and wss
  --timeout SECONDS    that the server may take for an answer (60)
  --transport NAME     http (the default) or websocket
  --push-sink URL      by which the server reaches this machine (https): then the pushes of
                       subscriptions are checked, too
  --push-listen PORT   where the run listens for them: the port of --push-sink, if none is given
  --push-certificate FILE  certificate and key of the URL's host (PEM). Without it the run takes
                       plain HTTP, from a program in front that has the certificate
  --section N          only this section and its parts: 5.3 of each RFC, 8620:5.3 of one; may be
                       repeated
  --check ID           only this check; may be repeated
  --level NAME         must or should: should, the default, has the checks of both
  --report FORMAT      text (the default), json, junit or html, on standard output
  --output FILE        the report goes to a file, and a summary of one screen to standard output
  --seed N             of what is random; each report tells it
  --strict             where an RFC allows several answers, takes only the one of a jmapsmith server
  --list               the checks, one a line, and nothing is run
  --help               shows this

Exit codes: 0 nothing failed, 1 a check failed or the run is not whole (it was interrupted, the
server was lost, a type could not be used), 2 an option, the URL, the token or a descriptor is
wrong, 70 a defect of ours.
`;

/** The command, without the process that runs it. */
export const CONFORM: Command = {
  name: 'conform',
  help: HELP,
  main: (argv) => runConform(argv).catch(throwHarmless),
};

/** Throws an error again without what a terminal would obey: the server can have sent it. */
function throwHarmless(error: unknown): never {
  if (error instanceof UsageError) throw new UsageError(makeHarmless(error.message));
  if (error instanceof Error) error.stack = makeHarmless(error.stack ?? error.message);
  throw error;
}

/** Runs the checks that the options select, and writes the report. */
async function runConform(argv: readonly string[]): Promise<number> {
  const { values } = parseOptions(argv, { options: OPTIONS });
  const { conform, listChecks } = await import('./command.js');
  const { output } = values;
  if (values.list) {
    process.stdout.write(listChecks(values));
    return EXIT.fine;
  }
  // Before a run, not at the end of one: what it found would be lost.
  // A report of a run before must not be taken for this one's.
  if (output !== undefined) await writeReport(output, '');
  const interrupted = new AbortController();
  const abort = (): void => interrupted.abort();
  // Once: what was made is removed first. Again: at once.
  process.once('SIGINT', abort).once('SIGTERM', abort);
  const { failed, hasDefect, report, summary } = await conform(
    values,
    process.env,
    (line) => printError(makeHarmless(line)),
    interrupted.signal,
  ).finally(() => process.off('SIGINT', abort).off('SIGTERM', abort));
  if (output === undefined) process.stdout.write(report);
  else {
    await writeReport(output, report);
    process.stdout.write(`${summary}\nThe report is in ${output}.\n`);
  }
  if (failed || interrupted.signal.aborted) return EXIT.found;
  return hasDefect ? EXIT.defect : EXIT.fine;
}

/** Writes the report. Throws UsageError where the file can't be written. */
async function writeReport(output: string, text: string): Promise<void> {
  await writeFile(output, text).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--output ${output} can't be written (${error.code ?? error.message}).`);
  });
}
