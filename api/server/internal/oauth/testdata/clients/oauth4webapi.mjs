// Signs in with oauth4webapi, by the code and by the device grant. It prints the addresses that a person has to visit,
// one a line, and reads where the code grant led them from its input. At the end it prints "done".
import * as oauth from 'oauth4webapi';
import { createInterface } from 'node:readline';

const base = new URL(process.argv[2]);
const insecure = { [oauth.allowInsecureRequests]: true }; // plain http, on the loopback interface
const client = { client_id: 'lukasa-cli' };
const none = oauth.None();
const redirect = 'http://127.0.0.1:4711/callback';
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

function check(condition, what) {
  if (!condition) throw new Error(what);
}

const resource = await oauth.processResourceDiscoveryResponse(base, await oauth.resourceDiscoveryRequest(base, insecure));
check(resource.authorization_servers.length === 1, 'one authorization server');
const issuer = new URL(resource.authorization_servers[0]);
const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));

const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const ask = new URL(as.authorization_endpoint);
ask.search = new URLSearchParams({
  client_id: client.client_id, redirect_uri: redirect, response_type: 'code', state, code_challenge_method: 'S256',
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier), scope: 'memory',
});
console.log(ask.href);
const back = new URL((await lines.next()).value);
const parameters = oauth.validateAuthResponse(as, client, back, state); // state and iss
const tokens = await oauth.processAuthorizationCodeResponse(as, client, await oauth.authorizationCodeGrantRequest(
  as, client, none, parameters, redirect, verifier, insecure));
check(tokens.token_type === 'bearer' && tokens.expires_in > 0, 'tokens');

const renewed = await oauth.processRefreshTokenResponse(as, client, await oauth.refreshTokenGrantRequest(
  as, client, none, tokens.refresh_token, insecure));
check(renewed.refresh_token !== tokens.refresh_token, 'a new refresh token');

const introspect = async (token) => oauth.processIntrospectionResponse(as, client, await oauth.introspectionRequest(as, client, none, token, insecure));
check((await introspect(renewed.access_token)).username === 'ana@example.com', 'whose the token is');
await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, none, renewed.refresh_token, insecure));
check((await introspect(renewed.access_token)).active === false, 'revoked');

const device = await oauth.processDeviceAuthorizationResponse(as, client, await oauth.deviceAuthorizationRequest(
  as, client, none, { scope: 'memory' }, insecure));
const poll = async () => oauth.processDeviceCodeResponse(as, client, await oauth.deviceCodeGrantRequest(as, client, none, device.device_code, insecure));
try {
  await poll();
  throw new Error('signed in before anybody allowed it');
} catch (err) {
  check(err instanceof oauth.ResponseBodyError && err.error === 'authorization_pending', `pending: ${err}`);
}
console.log(device.verification_uri_complete);
await lines.next(); // it is allowed
check((await poll()).access_token, 'tokens of the device');
console.log('done');
process.exit(0);
