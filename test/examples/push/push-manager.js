// Runs in a page in place of the browser's PushManager, which needs a push service of its maker.
// `testSubscribe` and `testUnsubscribe` are the test's push service. A profile of the browser keeps
// its subscription; here localStorage does.
{
  const STORED = 'test-push-manager';

  const read = () => JSON.parse(localStorage.getItem(STORED));

  const toBuffer = (text) => {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (letter) => letter.charCodeAt(0)).buffer;
  };

  const wrap = ({ endpoint, keys, key }) => ({
    endpoint,
    options: { userVisibleOnly: true, applicationServerKey: toBuffer(key) },
    toJSON: () => ({ endpoint, expirationTime: null, keys }),
    unsubscribe: async () => {
      localStorage.removeItem(STORED);
      await window.testUnsubscribe(endpoint);
      return true;
    },
  });

  PushManager.prototype.getSubscription = async () => {
    const stored = read();
    return stored === null ? null : wrap(stored);
  };

  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey: key }) => {
    if (!userVisibleOnly) throw new DOMException('Silent pushes are refused.', 'NotAllowedError');
    const present = read();
    if (present !== null && present.key !== key)
      throw new DOMException('There is one with another key.', 'InvalidStateError');
    const made = present ?? { ...(await window.testSubscribe(key)), key };
    localStorage.setItem(STORED, JSON.stringify(made));
    return wrap(made);
  };
}
