/**
 * jmap-jam as these tests use it. Its own types lead to a package of TypeScript sources that this
 * project's compiler options refuse, so they are not looked at. The module is imported by a name
 * that the compiler doesn't follow.
 */
export interface Jam {
  readonly session: Promise<Session>;
  /** `api.Country.get(args)`: any type and method, found at run time. */
  readonly api: unknown;
  /** Several calls in one request; resolves to their arguments by call id. */
  requestMany(drafts: (calls: Drafts) => Readonly<Record<string, Draft>>): Promise<[unknown, Meta]>;
  uploadBlob(accountId: string, body: Blob): Promise<Upload>;
  downloadBlob(options: Download): Promise<Response>;
}

export interface Options {
  /** Capabilities beside core and those of the called types. */
  readonly using?: readonly string[];
}

export interface Meta {
  readonly sessionState: string;
}

export interface Session {
  readonly username: string;
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly accounts: Readonly<Record<string, { readonly accountCapabilities: object }>>;
  readonly primaryAccounts: Readonly<Record<string, string>>;
  readonly state: string;
}

export interface Draft {
  $ref(path: string): unknown;
}

export type Drafts = Readonly<Record<string, Readonly<Record<string, (args: object) => Draft>>>>;

interface Upload {
  readonly accountId: string;
  readonly blobId: string;
  readonly type: string;
  readonly size: number;
}

interface Download {
  readonly accountId: string;
  readonly blobId: string;
  readonly mimeType: string;
  readonly fileName: string;
}

type JamClass = new (options: {
  readonly sessionUrl: string;
  readonly bearerToken: string;
  readonly customCapabilities: Readonly<Record<string, string>>;
}) => Jam;

const name: string = 'jmap-jam';
const module = (await import(name)) as { readonly JamClient: JamClass };

export const JamClient = module.JamClient;
