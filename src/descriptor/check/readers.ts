import { eachType } from './rule.js';

/** Refuses `readable` at properties that nobody reads, or that every create must give. */
export const readers = eachType((type, report) => {
  const isRequired = new Set(type.required.map(({ name }) => name));
  for (const { name, access, node } of type.properties) {
    const readable = node.members?.get('readable');
    if (readable === undefined) continue;
    if (access === 'internal' || access === 'secret')
      report('misplaced-key', readable.nameAt, `"${name}" is ${access}: no /get gives it.`);
    else if (isRequired.has(name))
      report(
        'misplaced-key',
        readable.nameAt,
        `"${name}" is required: a user who may not read it could create no ${type.name}. ` +
          'Give it a default.',
      );
  }
});
