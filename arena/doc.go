// Package arena plays games between engine configurations.
package arena
