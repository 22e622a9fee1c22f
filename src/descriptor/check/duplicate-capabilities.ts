import type { CapabilityView } from '../view.js';
import { place, type Rule } from './rule.js';

/**
 * Refuses a second descriptor of one capability, and two files of one base name, which would share
 * a folder.
 */
export const duplicateCapabilities: Rule = (views, report) => {
  const urns = new Map<string, CapabilityView>();
  const bases = new Map<string, CapabilityView>();
  // The engine's first: of two with one name, a team can change its own.
  const [engines, teams] = [views.filter(isEngines), views.filter((view) => !isEngines(view))];
  for (const view of [...engines, ...teams]) {
    if (view.urn !== undefined) {
      const earlier = urns.get(view.urn);
      if (earlier === undefined) urns.set(view.urn, view);
      else
        report(
          'duplicate-capability',
          view.urnAt,
          `the capability ${view.urn} is described in ${place(earlier.urnAt)} already; each ` +
            'has one descriptor.',
          { related: [earlier.urnAt] },
        );
    }
    const earlier = bases.get(view.base);
    if (earlier === undefined) bases.set(view.base, view);
    else
      report(
        'duplicate-file-name',
        { file: view.file, line: 1, column: 1 },
        `${view.file} and ${earlier.file} would both generate into generated/${view.base}/; ` +
          'rename one.',
        { related: [{ file: earlier.file, line: 1, column: 1 }] },
      );
  }
};

/** Returns whether the package brings the descriptor. */
function isEngines(view: CapabilityView): boolean {
  return view.isEngines;
}
