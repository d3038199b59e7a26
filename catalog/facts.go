package catalog

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Facts are what a server says about itself, as far as a schema depends on it.
type Facts struct {
	// Version is ClickHouse's own, "26.7.2.1".
	Version     string
	DisplayName string
	Timezone    string
	// User is whom the server takes this connection for: what CURRENT_USER becomes in a statement of ours.
	User string
	// Now is the server's clock, to the second, when it was asked.
	Now time.Time
	// Cloud is the server's own word for being ClickHouse Cloud (its setting cloud_mode).
	Cloud bool
	// Keeper is true where the server is connected to a Keeper or ZooKeeper.
	Keeper bool
	// DefaultDatabaseEngine and DefaultTableEngine are what the server uses where a statement names none.
	DefaultDatabaseEngine, DefaultTableEngine string
	Macros                                    map[string]string
	// Cluster lists the members of the cluster the macro {cluster} names; empty without that macro or cluster.
	Cluster []Member
	// UserDirectories are where users and roles are kept, in the order in which the server looks them up.
	UserDirectories []UserDirectory
	// NamedCollections is the type of the named collections' storage: "local", "keeper", ...; empty where the server
	// does not tell.
	NamedCollections string
	// Settings holds every query setting the server knows, with the value in force for us.
	Settings map[string]string
	// TableSettings holds every MergeTree setting the server knows; true for one that no ALTER may change.
	TableSettings map[string]bool
}

// Member is one server of a cluster as remote_servers names it.
type Member struct {
	Shard, Replica uint32
	Host           string
	Port           uint16
	Local          bool
}

// UserDirectory is one place where a server keeps users, roles and the like.
type UserDirectory struct{ Name, Type string }

// Writable reports whether CREATE USER and CREATE ROLE may write there.
func (d UserDirectory) Writable() bool {
	switch d.Type {
	case "users_xml", "users.xml", "ldap":
		return false
	}
	return true
}

// Knows reports whether the server has the named setting, of a query or of a MergeTree table.
func (f *Facts) Knows(setting string) bool {
	if _, ok := f.Settings[setting]; ok {
		return true
	}
	_, ok := f.TableSettings[setting]
	return ok
}

// AtLeast reports whether the server's version is min or newer; the parts are compared as numbers, and a missing
// part is 0.
func (f *Facts) AtLeast(min string) bool {
	have, want := strings.Split(f.Version, "."), strings.Split(min, ".")
	for i := range want {
		var h int
		if i < len(have) {
			h, _ = strconv.Atoi(have[i])
		}
		w, err := strconv.Atoi(want[i])
		if err != nil {
			return false
		}
		if h != w {
			return h > w
		}
	}
	return true
}

const (
	selectFacts = `SELECT version(), displayName(), timezone(), currentUser(), toDateTime(now()),
	(SELECT count() FROM system.tables WHERE database = 'system' AND name = 'zookeeper')`
	selectMacros   = `SELECT macro, substitution FROM system.macros`
	selectSettings = `SELECT name, value, false, false FROM system.settings
	UNION ALL SELECT name, value, true, toBool(readonly) FROM system.merge_tree_settings`
	selectCluster = `SELECT shard_num, replica_num, host_name, port, toBool(is_local) FROM system.clusters
	WHERE cluster = (SELECT any(substitution) FROM system.macros WHERE macro = 'cluster') ORDER BY shard_num, replica_num`
	// The precedences of directories count from 1.
	selectStorages = `SELECT name, type, precedence FROM (
		SELECT name, type, toUInt64(precedence) AS precedence FROM system.user_directories
		UNION ALL SELECT '', value, 0 FROM system.server_settings WHERE name = 'named_collections_storage.type')
	ORDER BY precedence`
)

// ReadFacts asks the server about itself, in five queries.
func ReadFacts(ctx context.Context, c *Conn) (*Facts, error) {
	f := &Facts{Macros: map[string]string{}, Settings: map[string]string{}, TableSettings: map[string]bool{}}
	var zookeeperTables uint64
	err := c.Select(ctx, selectFacts, nil, func(scan func(...any) error) error {
		return scan(&f.Version, &f.DisplayName, &f.Timezone, &f.User, &f.Now, &zookeeperTables)
	})
	if err != nil {
		return nil, &ReadError{"the server's version", err}
	}
	f.Keeper = zookeeperTables > 0
	err = c.Select(ctx, selectMacros, nil, func(scan func(...any) error) error {
		var name, value string
		err := scan(&name, &value)
		f.Macros[name] = value
		return err
	})
	if err != nil {
		return nil, &ReadError{"the macros", err}
	}
	err = c.Select(ctx, selectSettings, nil, func(scan func(...any) error) error {
		var (
			name, value       string
			ofTable, readOnly bool
		)
		err := scan(&name, &value, &ofTable, &readOnly)
		if ofTable {
			f.TableSettings[name] = readOnly
		} else {
			f.Settings[name] = value
		}
		return err
	})
	if err != nil {
		return nil, &ReadError{"the settings the server knows", err}
	}
	err = c.Select(ctx, selectCluster, nil, func(scan func(...any) error) error {
		var m Member
		err := scan(&m.Shard, &m.Replica, &m.Host, &m.Port, &m.Local)
		f.Cluster = append(f.Cluster, m)
		return err
	})
	if err != nil {
		return nil, &ReadError{"the clusters", err}
	}
	err = c.Select(ctx, selectStorages, nil, func(scan func(...any) error) error {
		var (
			d          UserDirectory
			precedence uint64
		)
		err := scan(&d.Name, &d.Type, &precedence)
		if precedence == 0 {
			f.NamedCollections = d.Type
		} else {
			f.UserDirectories = append(f.UserDirectories, d)
		}
		return err
	})
	if err != nil {
		return nil, &ReadError{"where users and collections are kept", err}
	}
	f.Cloud = f.Settings["cloud_mode"] == "1"
	f.DefaultDatabaseEngine = f.Settings["default_database_engine"]
	f.DefaultTableEngine = f.Settings["default_table_engine"]
	return f, nil
}
