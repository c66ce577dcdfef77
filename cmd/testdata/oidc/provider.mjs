// An authorization server for the tests: oidc-provider with its own development pages, PKCE, the device grant, and
// refresh tokens that rotate, where a replay ends the whole grant. It serves on a free loopback port, which it prints
// as a line of JSON. ISSUER is the address it is reached at when that is another; ACCESS_TTL is in seconds.
import http from 'node:http';
import Provider from 'oidc-provider';

const server = http.createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;
const issuer = process.env.ISSUER || url;
const ttl = Number(process.env.ACCESS_TTL || 600);

const provider = new Provider(issuer, {
  clients: [{
    client_id: 'lukasa-cli',
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    redirect_uris: ['http://127.0.0.1/callback'],
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  }],
  features: { deviceFlow: { enabled: true }, revocation: { enabled: true, allowedPolicy: () => true } },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  ttl: { AccessToken: ttl, RefreshToken: 86400, Grant: 86400, Session: 86400, Interaction: 3600, DeviceCode: 600, AuthorizationCode: 60, IdToken: 600 },
});
server.on('request', provider.callback());
process.stdout.write(`${JSON.stringify({ url })}\n`);
