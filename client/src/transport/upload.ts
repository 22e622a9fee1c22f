import type { HttpSender } from './http.js';

export interface Progress {
  /** Octets that are sent. It never goes back. */
  readonly loaded: number;
  readonly total: number;
}

export type OnProgress = (progress: Progress) => void;

/**
 * Returns what sends a blob and tells its progress: in browsers by XMLHttpRequest. The program's
 * own `fetch` goes before that, though it tells only the end there.
 */
export function makeUploader(
  data: Blob,
  onProgress: OnProgress,
  own: typeof globalThis.fetch | undefined,
): HttpSender {
  let most = -1;
  const tell = (loaded: number): void => {
    if (loaded <= most) return;
    most = loaded;
    onProgress({ loaded, total: data.size });
  };
  return async (url, request, renew) => {
    const note = (loaded: number): void => {
      renew(loaded >= data.size);
      tell(loaded);
    };
    const send: HttpSender =
      typeof XMLHttpRequest === 'undefined'
        ? () => (own ?? fetch)(url, streamBody(request, data, note))
        : (own ?? (() => sendByXhr(url, request, note)));
    tell(0);
    const response = await send(url, request, renew);
    if (response.ok) tell(data.size);
    return response;
  };
}

/** Octets that are read at once. */
const CHUNK = 65_536;

/** Returns the request with a body that counts its octets as they are read. */
function streamBody(
  request: Parameters<HttpSender>[1],
  data: Blob,
  tell: (loaded: number) => void,
): RequestInit {
  let loaded = 0;
  const body = new ReadableStream({
    async pull(controller) {
      const chunk = data.slice(loaded, loaded + CHUNK);
      if (chunk.size === 0) {
        controller.close();
        return;
      }
      controller.enqueue(new Uint8Array(await chunk.arrayBuffer()));
      loaded += chunk.size;
      tell(loaded);
    },
  });
  // The body is sent before the answer begins; `fetch` wants that said.
  return { ...request, body, duplex: 'half' } as RequestInit;
}

/** Sends a request as `fetch` does: that can't tell the progress of uploads in browsers. */
function sendByXhr(
  url: string,
  { method = 'GET', headers = {}, body, signal }: Parameters<HttpSender>[1],
  tell: (loaded: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const abort = (): void => xhr.abort();
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded }) => tell(loaded);
    xhr.onload = () => resolve(readXhr(xhr));
    xhr.onerror = () => reject(new TypeError('The upload failed.'));
    xhr.onabort = () => reject(signal.reason as Error);
    xhr.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    xhr.send(body as XMLHttpRequestBodyInit);
  });
}

/** Returns the parts of an answer that the client reads. */
function readXhr(xhr: XMLHttpRequest): Response {
  const { status, statusText, responseText } = xhr;
  const headers = { 'retry-after': xhr.getResponseHeader('retry-after') ?? '' };
  return new Response(responseText, { status, statusText, headers });
}
