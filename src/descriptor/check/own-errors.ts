import { isSetErrorType, SET_ERROR_TYPES } from '../../protocol/errors.js';
import type { NameView } from '../name-view.js';
import { errorsNamedBy } from '../rule-view.js';
import type { TypeView } from '../view.js';
import { didYouMean } from './did-you-mean.js';
import { whyNoMemberName } from './reserved.js';
import { listed, type Report, type Rule, reportDoubles } from './rule.js';
import { typesOf } from './types.js';

/** Refuses errors that can't be a type's own, and rules and references that name no such error. */
export const ownErrors: Rule = (views, report) => {
  const types = typesOf(views);
  for (const type of views.flatMap((view) => view.types)) {
    judgeErrors(type, report);
    for (const error of errorsNamedBy(type.rules)) judgeUse(type, error, report);
    for (const { target, error } of type.properties.flatMap(({ references }) => references)) {
      const referred = types.get(target.name);
      if (error !== undefined && referred !== undefined) judgeUse(referred, error, report);
    }
  }
};

/** The type of a SetError: `mailboxHasChild`, `example.com:locked`. */
const NAME = /^[A-Za-z][A-Za-z0-9.:_-]{0,127}$/;

/** The members that the engine gives, or that every SetError may have. */
const TAKEN = ['type', 'description', 'properties', 'existingId', 'objectIds'];

function judgeErrors({ name: type, errors }: TypeView, report: Report): void {
  reportDoubles(
    errors.map(({ name, nameAt }) => ({ name, at: nameAt })),
    report,
  );
  for (const { name, nameAt, members } of errors) {
    if (!NAME.test(name))
      report(
        'bad-error',
        nameAt,
        `"${name}" can't be an error: its name begins with a letter, and has up to 128 letters, ` +
          'digits and characters of . : _ -',
      );
    const others = SET_ERROR_TYPES.filter((each) => each !== name);
    if (isSetErrorType(name) && members.length === 0)
      report(
        'bad-error',
        nameAt,
        `"${name}" is an error of every type, so ${type} need not declare it, unless it has ` +
          `further members. Others are ${others.join(', ')}.`,
      );
    for (const { name: member, nameAt: at } of members) {
      const why = TAKEN.includes(member)
        ? 'every error may have that member'
        : whyNoMemberName(member);
      if (why !== undefined) report('bad-error', at, `"${member}" can't be a member: ${why}.`);
    }
  }
}

/** Judges an error that the engine is to answer: it gives no members of the team's own. */
function judgeUse({ name, errors }: TypeView, error: NameView, report: Report): void {
  const found = errors.find((each) => each.name === error.name);
  const names = errors.map((each) => each.name);
  if (found === undefined) {
    const declared = names.length === 0 ? 'none' : listed(names);
    report(
      'unknown-error',
      error.at,
      `${name} has no error "${error.name}".${didYouMean(error.name, names)} Declared under ` +
        `"errors" of ${name}: ${declared}.`,
    );
  } else if (found.members.length > 0)
    report(
      'bad-error',
      error.at,
      `"${error.name}" has members, which a hook alone can give: name an error without any.`,
      { related: [found.nameAt] },
    );
}
