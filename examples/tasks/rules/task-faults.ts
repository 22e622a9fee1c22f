import type { Link, Participant } from '../generated/shared/jscalendar.js';
import type { Person, TaskStored } from '../generated/tasks/Task.definition.js';
import { type Fault, judgeEntries } from './fault.js';
import { judgePatches } from './patch-faults.js';
import { judgeRecurrence } from './recurrence-faults.js';

/** Returns where a task breaks the rules of RFC 8984 and the draft between values. */
export function findFaults(task: TaskStored): readonly Fault[] {
  return [
    ...judgeMetadata(task),
    ...judgeRecurrence(task),
    ...judgeLocations(task),
    ...judgeLinks('links', task.links),
    ...judgeMethods('replyTo', task.replyTo, REPLY_SCHEMES),
    ...judgeParticipants(task),
    ...judgePersons(task),
    ...judgePatches(task),
  ];
}

/** RFC 8984 4.2.3: the text is UTF-8. The draft: a stored task is no message of a scheduler. */
function judgeMetadata(task: TaskStored): readonly Fault[] {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(task.descriptionContentType ?? '')?.[1];
  const faults: Fault[] = [];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8')
    faults.push({ path: 'descriptionContentType', text: 'has another charset than utf-8' });
  if (task['method'] !== undefined) faults.push({ path: 'method', text: 'is for messages alone' });
  return faults;
}

/** 4.2.5: a location says more than when it is. */
function judgeLocations({ locations }: TaskStored): readonly Fault[] {
  return judgeEntries('locations', locations, (location, path) => {
    const says = Object.keys(location).some((name) => name !== '@type' && name !== 'relativeTo');
    const faults: Fault[] = says ? [] : [{ path, text: 'says nothing' }];
    return [...faults, ...judgeLinks(`${path}/links`, location.links)];
  });
}

/** 1.4.11: a link leads to something, for JMAP to a blob too. An image to show is an icon. */
function judgeLinks(
  property: string,
  links: Readonly<Record<string, Link>> | undefined,
): readonly Fault[] {
  return judgeEntries(property, links, ({ href, blobId, display, rel }, path) => {
    const faults: Fault[] = [];
    if ((href ?? blobId) === undefined) faults.push({ path, text: 'needs "href" or "blobId"' });
    if (display !== undefined && rel !== 'icon')
      faults.push({ path: `${path}/display`, text: 'needs the "rel" icon' });
    return faults;
  });
}

/** Schemes of the URIs of methods, by method. */
type Schemes = Readonly<Record<string, string>>;
const REPLY_SCHEMES: Schemes = { imip: 'mailto:', web: 'https:' };
const SEND_SCHEMES: Schemes = { imip: 'mailto:' };

/** 4.4.4 and 4.4.6: names of methods are letters and digits, and some have a scheme. */
function judgeMethods(
  property: string,
  methods: Readonly<Record<string, string>> | undefined,
  schemes: Schemes,
): readonly Fault[] {
  return judgeEntries(property, methods, (uri, path, method) => {
    if (!/^[A-Za-z0-9]+$/.test(method)) return [{ path, text: 'has a name of other signs' }];
    const scheme = Object.hasOwn(schemes, method) ? (schemes[method] ?? '') : '';
    return uri.toLowerCase().startsWith(scheme) ? [] : [{ path, text: `is no ${scheme} URI` }];
  });
}

/** 4.4.6: who is invited can answer, and who has made progress has accepted. */
function judgeParticipants({ participants, replyTo }: TaskStored): readonly Fault[] {
  return judgeEntries('participants', participants, (participant, path) => {
    const { sendTo, progress, participationStatus, links } = participant;
    const faults: Fault[] = [];
    if (sendTo !== undefined && replyTo === undefined)
      faults.push({ path: `${path}/sendTo`, text: 'needs "replyTo" of the task' });
    if (progress !== undefined && participationStatus !== 'accepted')
      faults.push({ path: `${path}/progress`, text: 'needs the "participationStatus" accepted' });
    return [
      ...faults,
      ...judgeMethods(`${path}/sendTo`, sendTo, SEND_SCHEMES),
      ...judgeLinks(`${path}/links`, links),
      ...judgeOthers(path, participant, participants ?? {}),
    ];
  });
}

/** 4.4.6: delegates, delegators and groups are participants. */
function judgeOthers(
  path: string,
  { delegatedTo, delegatedFrom, memberOf }: Participant,
  participants: Readonly<Record<string, Participant>>,
): readonly Fault[] {
  return Object.entries({ delegatedTo, delegatedFrom, memberOf }).flatMap(([member, ids]) =>
    judgeEntries(`${path}/${member}`, ids, (_value, where, id) =>
      Object.hasOwn(participants, id) ? [] : [{ path: where, text: 'is no participant' }],
    ),
  );
}

/** The draft: a person has a URI or is a principal. */
function judgePersons({ checklists, comments }: TaskStored): readonly Fault[] {
  return [
    ...judgeEntries('comments', comments, ({ author }, path) =>
      judgePerson(`${path}/author`, author),
    ),
    ...judgeEntries('checklists', checklists, ({ checkItems = [] }, path) =>
      checkItems.flatMap(({ assignee }, at) =>
        judgePerson(`${path}/checkItems/${at}/assignee`, assignee),
      ),
    ),
  ];
}

function judgePerson(path: string, person: Person | undefined): readonly Fault[] {
  return person === undefined || (person.uri ?? person.principalId) !== undefined
    ? []
    : [{ path, text: 'needs "uri" or "principalId"' }];
}
