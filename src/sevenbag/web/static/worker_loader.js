// Run the worker whose blob: URL follows the "#" in the URL of this script.
// A worker created directly from a blob: URL inherits the policy of its page, which blocks `new Function`.
"use strict";
{
  const address = self.location.hash.slice(1);
  if (self.name.endsWith(".mjs")) {
    import(address)
      .catch((error) => {
        // The page receives errors, but not rejected promises.
        setTimeout(() => {
          throw error;
        });
      })
      .finally(() => URL.revokeObjectURL(address));
  } else {
    try {
      importScripts(address);
    } finally {
      URL.revokeObjectURL(address);
    }
  }
}
