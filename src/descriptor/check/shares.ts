import { isWrittenByClients } from '../model/access.js';
import { MY_RIGHTS, SHARE_NAMES, SHARE_WITH } from '../model/build-share.js';
import type { NameView } from '../name-view.js';
import { OTHERS, type ShareView } from '../share-view.js';
import type { TypeView } from '../view.js';
import { isReadByOthers, whyInvisible } from './access-readers.js';
import { didYouMean } from './did-you-mean.js';
import { eachType, oneOf, type Report } from './rule.js';
import { findProperty } from './types.js';

/** Refuses a `share` that names no rights, or rights to what clients never change. */
export const shares = eachType((type, report) => {
  const { share } = type;
  if (share === undefined) return;
  if (type.singleton) {
    const why = 'is a singleton, which all users of the account see: it takes no "share"';
    report('bad-singleton', share.nameAt, `${type.name} ${why}.`);
    return;
  }
  judgeRights(share, report);
  judgeUpdates(type, share, report);
  judgeCreators(type, share, report);
  for (const { name, nameAt } of [...type.properties, ...type.answered]) {
    if (!SHARE_NAMES.includes(name)) continue;
    report(
      'bad-share',
      nameAt,
      `"share" gives ${type.name} a property "${name}": rename this one.`,
    );
  }
});

const RIGHT = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

function judgeRights({ rights, read, destroy, update }: ShareView, report: Report): void {
  for (const { name, nameAt } of rights) {
    if (RIGHT.test(name)) continue;
    const legal = 'a name has up to 64 letters and digits, and begins with a letter';
    report('bad-share', nameAt, `no right can be named ${JSON.stringify(name)}: ${legal}.`);
  }
  const known = rights.map(({ name }) => name);
  const judge = (named: NameView | undefined): void => {
    if (named === undefined || known.includes(named.name)) return;
    const legal = known.length === 0 ? '' : ` Declared: ${oneOf(known)}.`;
    const meant = didYouMean(named.name, known);
    report('bad-share', named.at, `"${named.name}" is none of the rights.${meant}${legal}`);
  };
  for (const named of [read, destroy, ...update.map(({ right }) => right)]) judge(named);
}

function judgeUpdates(type: TypeView, { update }: ShareView, report: Report): void {
  for (const { property: named } of update) {
    if (named === undefined || named.name === OTHERS || named.name === SHARE_WITH) continue;
    if (named.name === MY_RIGHTS) {
      const why = 'is what the server finds for each user: clients never change it';
      report('bad-share', named.at, `"${MY_RIGHTS}" ${why}.`);
      continue;
    }
    const property = findProperty(type, named, report);
    if (property === undefined || isWrittenByClients(property)) continue;
    const what = property.computed === undefined ? property.access : 'computed';
    const why = 'clients never change it, whatever a right says';
    report('bad-share', named.at, `"${named.name}" is ${what}: ${why}.`);
  }
}

/** Reports that all may create objects, where others than the owner would see none. */
function judgeCreators(type: TypeView, { create }: ShareView, report: Report): void {
  if (create?.name !== 'everyone' || isReadByOthers(type)) return;
  report('bad-share', create.at, `${whyInvisible(type)}, or leave "create" out.`);
}
