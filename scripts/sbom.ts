/** A bundled package, as its package.json names it. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

interface Component {
  readonly type: 'application' | 'library';
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses: readonly object[];
  readonly purl: string;
}

/** A software bill of materials: CycloneDX 1.6. */
export interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly version: 1;
  readonly metadata: { readonly lifecycles: readonly object[]; readonly component: Component };
  readonly components: readonly Component[];
}

/**
 * Returns the bill of materials of a bundle, each version of a package once. It is the same for the same packages: it has no time and no
 * random serial number.
 */
export function createSbom(own: PackageManifest, bundled: readonly PackageManifest[]): Sbom {
  const components = new Map(
    bundled.map((manifest) => toComponent(manifest, 'library')).map((component) => [component.purl, component]),
  );
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: toComponent(own, 'application') },
    components: [...components.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1)),
  };
}

function toComponent({ name, version, license }: PackageManifest, type: Component['type']): Component {
  const [scope, rest] = name.startsWith('@') ? (name.split('/') as [string, string]) : [undefined, name];
  // A purl encodes the @ of a scope.
  const path = scope === undefined ? rest : `${encodeURIComponent(scope)}/${rest}`;
  const purl = `pkg:npm/${path}@${encodeURIComponent(version)}`;
  return {
    type,
    'bom-ref': purl,
    ...(scope === undefined ? {} : { group: scope }),
    name: rest,
    version,
    licenses: [/ (OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } }],
    purl,
  };
}
