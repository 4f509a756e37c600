// Package manifests_test checks the manifests of collector/kubernetes without a
// cluster. It renders them like kubectl and decodes them strictly.
package manifests_test

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const directory = "../../../collector/kubernetes"

// pods has the name, the selector and the pod template of a DaemonSet or a
// Deployment.
type pods struct {
	name     string
	selector *metav1.LabelSelector
	template corev1.PodTemplateSpec
}

// manifests has the objects of the rendered manifests.
type manifests struct {
	pods       []pods
	services   []*corev1.Service
	configMaps map[string]*corev1.ConfigMap
	accounts   map[string]*corev1.ServiceAccount
	roles      map[string]*rbacv1.Role
	bindings   []*rbacv1.RoleBinding
}

// render returns the objects of the kustomization. Unknown fields fail the test.
func render(t *testing.T) manifests {
	t.Helper()
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), directory)
	require.NoError(t, err)
	scheme := runtime.NewScheme()
	require.NoError(t, appsv1.AddToScheme(scheme))
	require.NoError(t, corev1.AddToScheme(scheme))
	require.NoError(t, rbacv1.AddToScheme(scheme))
	strict := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()

	m := manifests{
		configMaps: map[string]*corev1.ConfigMap{}, accounts: map[string]*corev1.ServiceAccount{}, roles: map[string]*rbacv1.Role{},
	}
	for _, resource := range rendered.Resources() {
		text, err := resource.AsYAML()
		require.NoError(t, err)
		object, _, err := strict.Decode(text, nil, nil)
		require.NoError(t, err, "%s", text)
		meta, ok := object.(metav1.Object)
		require.True(t, ok)
		assert.Empty(t, validation.NameIsDNSSubdomain(meta.GetName(), false), "name %s", meta.GetName())
		switch o := object.(type) {
		case *appsv1.DaemonSet:
			m.pods = append(m.pods, pods{o.Name, o.Spec.Selector, o.Spec.Template})
		case *appsv1.Deployment:
			m.pods = append(m.pods, pods{o.Name, o.Spec.Selector, o.Spec.Template})
		case *corev1.Service:
			m.services = append(m.services, o)
		case *corev1.ConfigMap:
			m.configMaps[o.Name] = o
		case *corev1.ServiceAccount:
			m.accounts[o.Name] = o
		case *rbacv1.Role:
			m.roles[o.Name] = o
		case *rbacv1.RoleBinding:
			m.bindings = append(m.bindings, o)
		case *corev1.Namespace:
		default:
			assert.Fail(t, "no check for this kind", "%T", object)
		}
		if _, ok := object.(*corev1.Namespace); !ok {
			assert.Equal(t, "otelcol-errclass", meta.GetNamespace(), "namespace of %s", meta.GetName())
		}
	}
	require.Len(t, m.pods, 2)
	return m
}

// TestPods checks that the pods refer only to existing objects, files and ports.
// Pods must have limits and no needless rights.
func TestPods(t *testing.T) {
	t.Parallel()
	m := render(t)
	for _, p := range m.pods {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			selector, err := metav1.LabelSelectorAsSelector(p.selector)
			require.NoError(t, err)
			assert.True(t, selector.Matches(labels.Set(p.template.Labels)), "the selector does not match the pods")

			spec := p.template.Spec
			assert.Contains(t, m.accounts, spec.ServiceAccountName)
			require.NotNil(t, spec.AutomountServiceAccountToken)
			assert.False(t, *spec.AutomountServiceAccountToken)

			require.Len(t, spec.Containers, 1)
			c := spec.Containers[0]
			assert.NotContains(t, c.Image, ":latest")
			assert.Contains(t, c.Image, "registry.example/otelcol-errclass:")
			for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe} {
				require.NotNil(t, probe)
				assert.True(t, hasPort(c, probe.HTTPGet.Port), "no port %v for a probe", probe.HTTPGet.Port)
			}
			assert.False(t, c.Resources.Requests.Cpu().IsZero())
			assert.False(t, c.Resources.Limits.Memory().IsZero())
			assert.LessOrEqual(t, c.Resources.Requests.Memory().Value(), c.Resources.Limits.Memory().Value())

			require.NotNil(t, c.SecurityContext)
			assert.False(t, *c.SecurityContext.AllowPrivilegeEscalation)
			assert.True(t, *c.SecurityContext.ReadOnlyRootFilesystem)
			assert.Equal(t, []corev1.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop)

			files := m.files(t, spec)
			for _, mount := range c.VolumeMounts {
				assert.True(t, slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name }), "no volume %s", mount.Name)
			}
			config := argument(t, c, "--config=")
			assert.Equal(t, "/etc/otelcol-errclass", path.Dir(config))
			require.Contains(t, files, path.Base(config))
			// The ConfigMap must contain the file that check.sh validates.
			want, err := os.ReadFile(path.Join(directory, "config", path.Base(config)))
			require.NoError(t, err)
			assert.Equal(t, string(want), files[path.Base(config)])
			// The directory of the ConfigMap must have the files that the
			// configuration reads.
			for _, name := range []string{"rules.yaml", "zeros.jsonl"} {
				if strings.Contains(files[path.Base(config)], "/"+name) {
					assert.Contains(t, files, name)
				}
			}
		})
	}
}

// files returns the files of the ConfigMaps that the pods mount.
func (m manifests) files(t *testing.T, spec corev1.PodSpec) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, v := range spec.Volumes {
		if v.Projected == nil {
			continue
		}
		for _, source := range v.Projected.Sources {
			require.Contains(t, m.configMaps, source.ConfigMap.Name)
			for name, text := range m.configMaps[source.ConfigMap.Name].Data {
				assert.NotContains(t, files, name, "two ConfigMaps have this file")
				files[name] = text
			}
		}
	}
	return files
}

func argument(t *testing.T, c corev1.Container, flag string) string {
	t.Helper()
	for _, arg := range c.Args {
		if value, ok := strings.CutPrefix(arg, flag); ok {
			return value
		}
	}
	require.Fail(t, "no argument", "%s", flag)
	return ""
}

func hasPort(c corev1.Container, port intstr.IntOrString) bool {
	return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool {
		return p.Name == port.StrVal || port.Type == intstr.Int && p.ContainerPort == port.IntVal
	})
}

// Each service selects pods that have its ports. The agent must send to an existing
// service.
func TestServices(t *testing.T) {
	t.Parallel()
	m := render(t)
	var addresses []string
	for _, s := range m.services {
		i := slices.IndexFunc(m.pods, func(p pods) bool {
			return labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(p.template.Labels))
		})
		require.GreaterOrEqual(t, i, 0, "service %s selects nothing", s.Name)
		for _, port := range s.Spec.Ports {
			assert.True(t, hasPort(m.pods[i].template.Spec.Containers[0], port.TargetPort), "service %s: no port %v", s.Name, port.TargetPort)
			if port.Name == "otlp-grpc" {
				addresses = append(addresses, s.Name+":4317")
			}
		}
	}
	for _, p := range m.pods {
		for _, env := range p.template.Spec.Containers[0].Env {
			if env.Name == "GATEWAY" {
				assert.Contains(t, addresses, env.Value)
			}
		}
	}
}

// Service accounts mount no token. Roles permit access only to existing ConfigMaps.
func TestRoles(t *testing.T) {
	t.Parallel()
	m := render(t)
	for _, account := range m.accounts {
		require.NotNil(t, account.AutomountServiceAccountToken)
		assert.False(t, *account.AutomountServiceAccountToken, "account %s", account.Name)
	}
	require.NotEmpty(t, m.bindings)
	for _, b := range m.bindings {
		require.Contains(t, m.roles, b.RoleRef.Name)
		for _, subject := range b.Subjects {
			assert.Equal(t, rbacv1.GroupKind, subject.Kind)
		}
		for _, rule := range m.roles[b.RoleRef.Name].Rules {
			require.NotEmpty(t, rule.ResourceNames)
			for _, name := range rule.ResourceNames {
				assert.Contains(t, m.configMaps, name)
			}
		}
	}
}
