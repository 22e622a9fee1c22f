import type { OAuthScopes } from '../../../../src/capability/capability-definition.js';
import type {
  QuotaDefinition,
  UnreferencedQuota,
} from '../../../../src/capability/quota-definition.js';
import type {
  EmittedFiles,
  Model,
  ModelCapability,
  ModelMethod,
} from '../../../../src/descriptor/model.js';
import { sampleOf } from '../../../../src/descriptor/sample-values.js';
import type { JsonObject } from '../../../../src/protocol/json.js';
import { preambleText } from '../preamble.js';
import { sourceOf } from '../type-validators.js';
import { code, escapeText, json, paragraphs } from './markdown.js';
import { memberTable } from './member-table.js';
import { call, typeSection, writeDeprecation } from './type-section.js';

/**
 * Returns `docs/reference/capabilities/todos.md` ...: what a client's author needs to know of each
 * capability.
 */
export function emitReference(model: Model): EmittedFiles {
  return new Map(
    model.capabilities.map((capability) => [
      `docs/reference/capabilities/${capability.name}.md`,
      emitPage(capability),
    ]),
  );
}

/** Returns the reference page of a capability. */
function emitPage(capability: ModelCapability): string {
  const lines = [
    `<!-- ${preambleText(sourceOf(capability))} -->`,
    '',
    `# ${capability.urn}`,
    '',
    ...paragraphs(capability.description),
    ...describeSession(capability),
    ...capability.types.flatMap((type) => typeSection(capability, type)),
    ...capability.methods.flatMap((method) => describeMethod(capability, method)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Returns the members of the session object for the capability, if any. */
function describeSession({
  session,
  accountSession,
  oauthScopes,
  quotas = [],
  unreferencedBlobs,
}: ModelCapability): readonly string[] {
  const entry = (words: string, value: JsonObject): readonly string[] =>
    Object.keys(value).length === 0 ? [] : [words, '', ...json(value)];
  return [
    ...entry('In `capabilities` of the session object:', session),
    ...entry('In `accountCapabilities` of each account:', accountSession),
    ...(oauthScopes === undefined ? [] : describeScopes(oauthScopes)),
    ...(quotas.length === 0 ? [] : describeQuotas(quotas)),
    ...(unreferencedBlobs === undefined ? [] : describeUnreferenced(unreferencedBlobs)),
  ];
}

/** Returns a sentence about the scopes of tokens of identity providers. */
function describeScopes({ full, read }: OAuthScopes): readonly string[] {
  const reading = read === undefined ? '' : `, or ${code(read)} to read alone`;
  return [`A token of an identity provider needs the scope ${code(full)}${reading}.`, ''];
}

/** Returns a list of the quotas, with the limits of accounts that have no others. */
function describeQuotas(quotas: readonly QuotaDefinition[]): readonly string[] {
  const items = quotas.map(({ name, types, resource, limit, description, counts = [] }) => {
    const things = counts.length === 0 ? '' : ` in ${counts.join(' and ')}`;
    const amount = `${limit} ${resource === 'count' ? 'objects' : 'octets'}${things}`;
    const words =
      description === undefined ? '' : `: ${escapeText(description.replaceAll(/\s+/g, ' '))}`;
    return `- ${code(name)}, ${amount} of ${types.map(code).join(', ')}${words}`;
  });
  return ['Quotas of each account:', '', ...items, ''];
}

/** Returns a sentence about the quota of blobs that no object refers to. */
function describeUnreferenced({ name, limit }: UnreferencedQuota): readonly string[] {
  const whose = 'that each user may have in an account and no object refers to';
  return [`${code(name)}: ${limit} octets of blobs ${whose}. The oldest make room for others.`, ''];
}

/** Returns the section of an own method, with an example that has the required arguments. */
function describeMethod(capability: ModelCapability, method: ModelMethod): readonly string[] {
  const args = method.arguments;
  const required = Object.fromEntries(
    Object.entries(args.properties ?? {}).filter(([name]) => args.required?.includes(name)),
  );
  return [
    `## ${method.name}`,
    '',
    ...paragraphs(method.description),
    ...writeDeprecation(method.deprecated),
    ...memberTable('Argument', args),
    ...memberTable('Response', method.response),
    ...call(capability, method.name, {
      request: sampleOf({ ...args, properties: required }) as JsonObject,
      response: sampleOf(method.response) as JsonObject,
    }),
  ];
}
