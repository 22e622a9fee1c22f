import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

/**
 * Loaded into a server: which files of the project it has entered. At SIGUSR2 their names since the
 * last one go to the file that `?file=` names. V8 counts the calls of each function
 * (`Profiler.takePreciseCoverage`); a file is entered when one of its functions was called.
 */
const file = new URL(import.meta.url).searchParams.get('file');
const session = new Session();
session.connect();

function post(method, params) {
  let answer;
  // Within one thread it answers before it returns.
  session.post(method, params, (error, result) => {
    if (error) throw error;
    answer = result;
  });
  return answer;
}

post('Profiler.enable');
post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('SIGUSR2', () => {
  const { result } = post('Profiler.takePreciseCoverage');
  const files = result.flatMap(({ url, functions }) => {
    const name = /dist\/((?:src|generated)\/.*)\.js$/.exec(url)?.[1];
    const isEntered = functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
    return name !== undefined && isEntered ? [`${name}.ts`] : [];
  });
  writeFileSync(`${file}.part`, JSON.stringify(files.sort()));
  renameSync(`${file}.part`, file);
});
