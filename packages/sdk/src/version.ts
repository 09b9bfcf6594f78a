/** The version of the SDK, which proxies are told. A test compares it with package.json, so that nothing has to be read for it. */
export const SDK_VERSION = '0.1.0';
